// Which levels of its instructions this processor runs.
#pragma once

#include <vector>

#include "runtime/cpu/levels/level.hpp"

namespace monomorph::cpu {

/// The best last; there is always one.
std::vector<const Level*> levels_here();

/// The best that this processor runs.
const Level& best_level();

}  // namespace monomorph::cpu
