// The functions an expression of the spec may call, in double: what emitted C++ means by `sigmoid(x)`. Each is finite
// for every finite argument whose true value is finite.
#pragma once

#include <cmath>

namespace monomorph::reference {

using std::abs;
using std::cos;
using std::erf;
using std::exp;
using std::log;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

/// 1 / (1 + exp(-x)), through the exponential that cannot overflow.
inline double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

inline double min(double a, double b) { return b < a ? b : a; }
inline double max(double a, double b) { return a < b ? b : a; }
inline double clamp(double x, double low, double high) { return min(max(x, low), high); }

}  // namespace monomorph::reference
