// The one function that an expression of the spec may call and the C++ library has not, in double. Finite for every
// argument.
#pragma once

#include <cmath>

namespace monomorph::reference {

/// 1 / (1 + exp(-x)), through the exponential that cannot overflow.
inline double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

}  // namespace monomorph::reference
