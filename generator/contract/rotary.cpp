#include "generator/contract/rotary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "generator/blocks/position.hpp"

namespace monomorph::generator {
namespace {

float f32(double value) { return static_cast<float>(value); }

/// theta^(2j / rotary_dim).
std::vector<float> rotary_powers(double theta, std::int64_t rotary_dim) {
  std::vector<float> result;
  for (std::int64_t j = 0; j < rotary_dim / 2; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(rotary_dim);
    result.push_back(f32(std::pow(static_cast<double>(f32(theta)), static_cast<double>(exponent))));
  }
  return result;
}

/// Slow angles are divided by the factor, fast ones stay, and between the two the one becomes the other.
void scale_as_llama3(const PositionSection& position, std::vector<float>& frequencies) {
  const auto original = static_cast<double>(position.original_max_position_embeddings.value);
  const double low = position.low_freq_factor.value, high = position.high_freq_factor.value;
  const float factor = f32(position.factor.value);
  for (float& frequency : frequencies) {
    const float wavelength = 1.0f / frequency * f32(2 * std::numbers::pi);
    if (wavelength > f32(original / low)) {
      frequency /= factor;
    } else if (low < high && !(wavelength < f32(original / high))) {
      const float smooth = (1.0f / wavelength * f32(original) - f32(low)) / f32(high - low);
      frequency = (1.0f - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

/// The same by the index of the angle, from `powers`, which are one over the frequencies.
std::vector<float> yarn_frequencies(const PositionSection& position, const std::vector<float>& powers) {
  const auto rotary_dim = static_cast<double>(position.rotary_dim.value);
  /// The index, not whole, of the angle that turns so often in the original length.
  const auto index_of = [&](double turns) {
    const auto original = static_cast<double>(position.original_max_position_embeddings.value);
    return rotary_dim * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(position.rope_theta.value));
  };
  double low = index_of(position.beta_fast.value), high = index_of(position.beta_slow.value);
  if (position.truncate.value) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, rotary_dim - 1);
  if (low == high) high += 0.001;
  std::vector<float> result;
  for (std::size_t j = 0; j < powers.size(); ++j) {
    const float ramp = std::clamp((static_cast<float>(j) - f32(low)) / f32(high - low), 0.0f, 1.0f);
    const float kept = 1.0f - ramp;
    const float divided = 1.0f / (f32(position.factor.value) * powers[j]);
    result.push_back(divided * (1.0f - kept) + 1.0f / powers[j] * kept);
  }
  return result;
}

/// Each divided by a factor of its own; there may be too few of them, which the rules tell.
std::vector<float> divided_frequencies(const PositionSection& position, const std::vector<double>& factors) {
  std::vector<float> result = rotary_powers(position.rope_theta.value, position.rotary_dim.value);
  for (std::size_t j = 0; j < result.size(); ++j) {
    result[j] = 1.0f / (f32(j < factors.size() ? factors[j] : 1) * result[j]);
  }
  return result;
}

}  // namespace

std::vector<float> rotary_frequencies(double theta, std::int64_t rotary_dim) {
  std::vector<float> result = rotary_powers(theta, rotary_dim);
  for (float& power : result) power = 1.0f / power;
  return result;
}

std::vector<float> rotary_frequencies(const PositionSection& position) {
  const double theta = position.rope_theta.value;
  const std::int64_t rotary_dim = position.rotary_dim.value;
  const std::string& scaling = position.scaling.value;
  std::vector<float> result = rotary_frequencies(theta, rotary_dim);
  if (scaling == "yarn") result = yarn_frequencies(position, rotary_powers(theta, rotary_dim));
  if (scaling == "llama3") scale_as_llama3(position, result);
  if (scaling == "longrope") result = divided_frequencies(position, position.short_factor.value);
  if (scaling == "linear") {
    for (float& frequency : result) frequency /= f32(position.factor.value);
  }
  return result;
}

RotaryContract rotary_of(const PositionSection& position) {
  const std::string& scaling = position.scaling.value;
  RotaryContract result{rotary_frequencies(position)};
  if (scaling == "yarn" || scaling == "longrope") result.factor = f32(position.attention_factor.value);
  if (scaling == "dynamic" || scaling == "longrope") {
    result.original_length = position.original_max_position_embeddings.value;
  }
  if (scaling == "dynamic") {
    result.theta = f32(position.rope_theta.value);
    result.stretch = f32(position.factor.value);
  }
  if (scaling == "longrope") result.of_longer = divided_frequencies(position, position.long_factor.value);
  if (position.direction.value == "reversed") {
    for (float& frequency : result.frequencies) frequency = -frequency;
    for (float& frequency : result.of_longer) frequency = -frequency;
  }
  return result;
}

RotaryContract sinusoids_of(const PositionSection& position, std::int64_t columns) {
  RotaryContract result;
  result.first_position = position.offset.value;
  if (!position.ends_at_theta.value) {
    result.frequencies = rotary_frequencies(position.rope_theta.value, columns);
    return result;
  }
  const float step = f32(-std::log(position.rope_theta.value) / static_cast<double>(columns / 2 - 1));
  for (std::int64_t j = 0; j < columns / 2; ++j) {
    result.frequencies.push_back(f32(std::exp(static_cast<double>(static_cast<float>(j) * step))));
  }
  return result;
}

double default_attention_factor(const std::string& scaling, double factor, std::int64_t original) {
  if (factor <= 1) return 1;
  if (scaling == "yarn") return 1 + 0.1 * std::log(factor);
  return scaling == "longrope" ? std::sqrt(1 + std::log(factor) / std::log(static_cast<double>(original))) : 1;
}

}  // namespace monomorph::generator
