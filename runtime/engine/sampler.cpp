#include "runtime/engine/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "runtime/engine/philox.hpp"

namespace monomorph {
namespace sampling {
namespace {
constexpr std::uint32_t mass_one = (1u << 24) - 1;
}

std::uint32_t order_key(float logit) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(logit);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0;
  if (bits == 0x80000000u) bits = 0;
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// Every operation below is one correctly rounded f32 operation, in the order of shaders/sample.glsl; the build's
// -ffp-contract=off keeps it so.
std::uint32_t mass(float below, float inverse_temperature) {
  const float scaled = below * inverse_temperature;
  const float exponent = scaled * 1.44269504f;
  if (!(exponent > -26.0f)) return 0;
  if (exponent > -1e-8f) return mass_one;  // drivers differ on subnormal numbers
  const float whole = std::floor(exponent);
  const float x = exponent - whole;
  // 2^x on [0, 1], within 9e-8 of its value.
  float power = 0.000216129236f;
  power = power * x + 0.00124678435f;
  power = power * x + 0.00967545155f;
  power = power * x + 0.0554852821f;
  power = power * x + 0.240229309f;
  power = power * x + 0.693147063f;
  power = power * x + 1.0f;
  const auto shift = static_cast<std::uint32_t>(-whole);
  const auto units = static_cast<std::uint32_t>(power * 16777216.0f);
  return std::min((units + (1u << (shift - 1))) >> shift, mass_one);
}

std::uint32_t random_bits(std::uint64_t seed, std::uint32_t position) { return philox(seed, {position, 0, 0, 0})[0]; }

namespace {

/// The largest logit; the lowest id where several are.
std::uint32_t likeliest(std::span<const std::uint32_t> keys) {
  return static_cast<std::uint32_t>(std::max_element(keys.begin(), keys.end()) - keys.begin());
}

/// The k-th largest key.
std::uint32_t top_k_threshold(std::vector<std::uint32_t> keys, std::uint32_t k) {
  std::nth_element(keys.begin(), keys.begin() + (k - 1), keys.end(), std::greater<>());
  return keys[k - 1];
}

/// The highest key such that the masses of the keys from it upwards reach `wanted`.
std::uint32_t top_p_threshold(std::span<const std::uint32_t> keys, std::span<const std::uint32_t> masses,
                              std::uint64_t wanted) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < keys.size(); ++id) {
    if (masses[id] > 0) order.push_back(id);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] > keys[b]; });
  std::uint64_t sum = 0;
  for (const std::uint32_t id : order) {
    sum += masses[id];
    if (sum >= wanted) return keys[id];
  }
  return 0;
}

std::uint64_t sum_of(std::span<const std::uint32_t> masses) {
  std::uint64_t sum = 0;
  for (const std::uint32_t mass : masses) sum += mass;
  return sum;
}

}  // namespace
}  // namespace sampling

std::uint32_t sample_token(std::span<const float> logits, const StepSlot& slot, std::uint32_t position) {
  using namespace sampling;
  const std::size_t vocab_size = logits.size();
  std::vector<std::uint32_t> keys(vocab_size);
  std::transform(logits.begin(), logits.end(), keys.begin(), order_key);
  const std::uint32_t first = likeliest(keys);
  if (slot.inverse_temperature == 0 || keys[first] == 0) return first;

  const std::uint32_t k = slot.top_k == 0 || slot.top_k >= vocab_size ? 0 : slot.top_k;
  const std::uint32_t lowest_of_k = k == 0 ? 0 : top_k_threshold(keys, k);
  std::vector<std::uint32_t> masses(vocab_size);
  for (std::size_t id = 0; id < vocab_size; ++id) {
    if (keys[id] == 0 || keys[id] < lowest_of_k) continue;
    // Not the difference where it may be inf - inf.
    masses[id] = keys[id] == keys[first] ? mass_one : mass(logits[id] - logits[first], slot.inverse_temperature);
  }

  if (slot.top_p != 0 && slot.top_p < (1u << 24)) {
    // 44 bits of total times 24 of top_p, without 128-bit arithmetic.
    const std::uint64_t total = sum_of(masses);
    const std::uint64_t wanted = (total >> 24) * slot.top_p + (((total & 0xffffffu) * slot.top_p) >> 24);
    const std::uint32_t lowest = top_p_threshold(keys, masses, std::max<std::uint64_t>(wanted, 1));
    for (std::size_t id = 0; id < vocab_size; ++id) {
      if (keys[id] < lowest) masses[id] = 0;
    }
  }
  for (std::uint32_t& mass : masses) {
    if (mass < slot.least_mass) mass = 0;
  }

  const std::uint64_t total = sum_of(masses);
  const std::uint64_t random = random_bits(slot.seed_low | static_cast<std::uint64_t>(slot.seed_high) << 32, position);
  const std::uint64_t target = (total >> 32) * random + (((total & 0xffffffffu) * random) >> 32);
  std::uint64_t sum = 0;
  for (std::uint32_t id = 0; id < vocab_size; ++id) {
    sum += masses[id];
    if (sum > target) return id;
  }
  return first;
}

StepSlot sampling_slot(const Sampling& sampling, std::span<const std::uint32_t> eos_tokens) {
  StepSlot slot{};
  slot.inverse_temperature = sampling.temperature == 0 ? 0 : 1 / sampling.temperature;
  slot.top_k = sampling.top_k;
  slot.top_p = sampling.top_p >= 1
                   ? 0
                   : std::max(1u, static_cast<std::uint32_t>(std::lround(double{sampling.top_p} * (1 << 24))));
  slot.least_mass = static_cast<std::uint32_t>(std::lround(double{sampling.min_p} * (1 << 24)));
  slot.seed_low = static_cast<std::uint32_t>(sampling.seed);
  slot.seed_high = static_cast<std::uint32_t>(sampling.seed >> 32);
  if (eos_tokens.size() > max_eos_tokens)
    throw Error(ErrorKind::internal, "a program has more stop tokens than the device holds");
  slot.eos_count = static_cast<std::uint32_t>(eos_tokens.size());
  std::copy(eos_tokens.begin(), eos_tokens.end(), slot.eos_tokens);
  return slot;
}

}  // namespace monomorph
