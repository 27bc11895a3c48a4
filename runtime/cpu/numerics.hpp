// The functions of an expression, in f32: what emitted kernels call. They are those of C where nothing is said, of the
// same names as in shaders/numerics.glsl, so that one writer spells both.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace monomorph::cpu::numerics {

inline float abs(float x) { return std::fabs(x); }
inline int abs(int x) { return std::abs(x); }
/// Within two units in the last place, without a branch, so that loops over it are vectors: 2^n exp(r) with the nearest
/// n, where exp(r) is Cephes' polynomial (Moshier, expf). What is no number stays so.
inline float exp(float x) {
  const float least = x < -104.0f ? -104.0f : x, bounded = least > 89.0f ? 89.0f : least;  // beyond: 0, infinity
  constexpr float nearest = 0x1.8p23f;  // what is added to it loses its fraction
  const float moved = bounded * 1.44269504f + nearest, n = moved - nearest;
  const float r = (bounded - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1;
  // In two steps: 2^n alone may be beyond the range, or below it.
  const std::int32_t power = std::bit_cast<std::int32_t>(moved) - std::bit_cast<std::int32_t>(nearest);
  const std::int32_t half = power >> 1;
  return p * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((power - half + 127) << 23);
}
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
  const float e = numerics::exp(-std::fabs(x));  // exp(x) of a large x overflows; this cannot
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
