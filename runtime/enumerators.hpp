// How many values an enumeration has, for tables with a row for each: a static_assert beside the table then fails where
// a value is added and its row is not.
#pragma once

#include <cstddef>
#include <string_view>

namespace monomorph {

/// Whether `value` is one that its enumeration names: GCC and Clang write any other as a cast, "(Access)3".
template <auto value>
constexpr bool is_enumerator() {
  const std::string_view function = __PRETTY_FUNCTION__;
  const std::string_view name = function.substr(function.rfind("value = "));
  const std::size_t cast = name.rfind(')');
  return cast == name.npos || name[cast + 1] < '0' || name[cast + 1] > '9';
}

/// The number of values of an enumeration that counts from 0 without gaps.
template <class Enumeration, std::size_t from = 0>
constexpr std::size_t enumerator_count() {
  if constexpr (is_enumerator<static_cast<Enumeration>(from)>()) {
    return enumerator_count<Enumeration, from + 1>();
  } else {
    return from;
  }
}

}  // namespace monomorph
