// A header of the same name, generated from an older version of the spec.
#pragma once

#include <string_view>

namespace tiny {

inline constexpr std::string_view spec_hash = "0000000000000000";

}  // namespace tiny
