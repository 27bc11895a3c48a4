// What the expressions of a family say of a list behind its name.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace monomorph::generator {

/// "layer_types.length" is how many a list has, "heads.largest" the largest of its numbers.
inline constexpr std::string_view length_of_list = ".length", largest_of_list = ".largest";
inline constexpr std::array list_properties = {length_of_list, largest_of_list};

/// The list's own name; a name without such an end is its own.
inline std::string without_property(const std::string& name) {
  for (const std::string_view property : list_properties) {
    if (name.ends_with(property)) return name.substr(0, name.size() - property.size());
  }
  return name;
}

}  // namespace monomorph::generator
