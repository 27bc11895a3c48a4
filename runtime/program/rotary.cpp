#include "runtime/program/rotary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace monomorph {
namespace {

float rounded(double value) { return static_cast<float>(value); }
float power(float base, float exponent) {
  return rounded(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
}

/// In the steps of transformers' _compute_dynamic_ntk_parameters, each rounded to f32:
/// base = theta (factor length / original - (factor - 1))^(dim / (dim - 2)), then base^(-2j / dim).
void stretched(const RotaryFrequencies& rotary, std::int64_t length, std::vector<float>& result) {
  const auto dim = static_cast<double>(2 * rotary.frequencies.size());
  const float grown = rotary.stretch * static_cast<float>(length) / static_cast<float>(rotary.original_length);
  const float base = rotary.theta * power(grown - (rotary.stretch - 1), rounded(dim / (dim - 2)));
  result.resize(rotary.frequencies.size());
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = std::copysign(1 / power(base, static_cast<float>(2 * j) / rounded(dim)), rotary.frequencies[j]);
  }
}

}  // namespace

std::span<const float> frequencies_at(const RotaryFrequencies& rotary, std::int64_t length,
                                      std::vector<float>& computed) {
  if (rotary.original_length == 0 || length <= rotary.original_length) return rotary.frequencies;
  if (!rotary.of_longer.empty()) return rotary.of_longer;
  stretched(rotary, length, computed);
  return computed;
}

std::int64_t longest_alike(std::span<const RotaryAngles> angles, std::int64_t length) {
  std::int64_t longest = std::numeric_limits<std::int64_t>::max();
  for (const RotaryAngles& each : angles) {
    const std::int64_t original = each.rotary.original_length;
    if (!each.rotary.of_longer.empty() && length <= original) longest = std::min(longest, original);
  }
  return longest;
}

void write_angles(std::span<const float> frequencies, float factor, std::int64_t position, float* pairs) {
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const auto angle = static_cast<double>(static_cast<float>(position) * frequencies[j]);
    pairs[2 * j] = rounded(std::cos(angle)) * factor;
    pairs[2 * j + 1] = rounded(std::sin(angle)) * factor;
  }
}

}  // namespace monomorph
