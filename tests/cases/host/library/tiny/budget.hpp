// An emitted header that asserts something of what the user makes of it.
#pragma once

#include "tiny/forward.hpp"

namespace tiny {

template <int positions>
struct budget {
  static_assert(positions <= 256, "at most 256 positions fit");
};

}  // namespace tiny
