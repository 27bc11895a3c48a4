// Options that are not to be given beside others.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "runtime/error.hpp"

namespace monomorph::cli {

/// Why what is of tokens drawn one after the other is not to be given with beams.
inline constexpr const char* drawn_alone = "is about tokens drawn one after the other; leave it out, or say --beams 1";

/// Throws Error(environment) for the first of the options that is given: its name, and `why` it is not to be.
inline void refuse_given(std::initializer_list<std::pair<const char*, bool>> options, const std::string& why) {
  for (const auto& [name, given] : options) {
    if (given) throw Error(ErrorKind::environment, name + (" " + why));
  }
}

}  // namespace monomorph::cli
