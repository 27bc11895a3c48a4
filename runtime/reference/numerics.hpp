// What an expression of the spec may say and the C++ library has not. Defined for every argument.
#pragma once

#include <cmath>
#include <cstdint>

namespace monomorph::reference {

/// 1 / (1 + exp(-x)), through the exponential that cannot overflow.
inline double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/// The floored remainder: of the sign of b, and 0 where b is 0.
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace monomorph::reference
