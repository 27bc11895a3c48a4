// The functions of an expression, in f32: what emitted kernels call. They are those of C where nothing is said, of the
// same names as in shaders/numerics.glsl, so that one writer spells both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace monomorph::cpu::numerics {

inline float abs(float x) { return std::fabs(x); }
inline int abs(int x) { return std::abs(x); }
inline float exp(float x) { return std::exp(x); }
inline float safe_expm1(float x) { return std::expm1(x); }
inline float safe_log(float x) { return std::log(x); }
inline float safe_log1p(float x) { return std::log1p(x); }
inline float safe_sqrt(float x) { return std::sqrt(x); }
inline float safe_sin(float x) { return std::sin(x); }
inline float safe_cos(float x) { return std::cos(x); }
inline float safe_tanh(float x) { return std::tanh(x); }
inline float safe_pow(float x, float y) { return std::pow(x, y); }
inline float erf_approx(float x) { return std::erf(x); }
inline float sigmoid(float x) {
  const float e = std::exp(-std::fabs(x));  // exp(x) of a large x overflows; this cannot
  return (x >= 0 ? 1.0f : e) / (1.0f + e);
}

// A first argument that is no number is given back.
inline float larger(float a, float b) { return std::max(a, b); }
inline float smaller(float a, float b) { return std::min(a, b); }
inline float within(float x, float low, float high) { return std::clamp(x, low, high); }
inline int larger(int a, int b) { return std::max(a, b); }
inline int smaller(int a, int b) { return std::min(a, b); }
inline int within(int x, int low, int high) { return std::clamp(x, low, high); }

/// x to a whole power, by squaring.
inline float whole_power(float x, int n) {
  float power = 1, square = x;
  for (int left = std::abs(n); left != 0; left /= 2) {
    if (left % 2 != 0) power *= square;
    square *= square;
  }
  return n < 0 ? 1 / power : power;
}

/// The floored remainder: of the sign of b, and 0 where b is 0.
inline int floor_mod(int a, int b) {
  if (b == 0) return 0;
  const int rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace monomorph::cpu::numerics
