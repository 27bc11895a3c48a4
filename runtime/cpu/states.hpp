// What slots remember, as kernels read and write it: where an entry lies, and rows in the type that they are kept in.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "runtime/cpu/parameters.hpp"
#include "runtime/formats/half.hpp"

namespace monomorph::cpu {

/// The row of what a state has of a position: the twin of runtime/program/state.hpp, with constants.
template <class P>
std::int64_t state_row(std::int64_t slot, std::int64_t head, std::int64_t position) {
  std::int64_t entry = position;
  if constexpr (P::has_ring) {
    if (position >= P::ring_first) entry = P::ring_first + (position - P::ring_first) % (P::entries - P::ring_first);
  }
  return (slot * P::state_heads + head) * P::entries + entry;
}

/// Which of a recurrent state's copies a pass reads and writes.
inline std::int64_t copy_written(const Pass& pass, std::uint32_t slot) { return pass.slots[slot].copy_to; }
inline std::int64_t copy_read(const Pass& pass, std::uint32_t slot) {
  return pass.slots[slot].drawn == 0 ? pass.slots[slot].copy_from : copy_written(pass, slot);
}

/// Bytes of an entry, of which the plan says how many units of `together` elements it has, or words of blocks.
constexpr std::int64_t entry_bytes(std::string_view dtype, std::int64_t stride, std::int64_t together) {
  return stride * (dtype == "q8_0" ? 4 : together * (dtype == "f32" ? 4 : 2));
}

namespace q8_0 {

inline constexpr std::int64_t block = 32;

/// A row of n elements is its codes and then an f16 scale for every 32 of them: shaders/quantize_q8_0.glsl, which tells
/// whose scales and codes these are, and what becomes of what is no finite number.
inline void store(const float* values, std::int64_t n, std::byte* to) {
  constexpr std::uint32_t infinite = 0x7f800000u;
  for (std::int64_t b = 0; b < n / block; ++b) {
    std::uint32_t largest = 0;
    for (std::int64_t i = 0; i < block; ++i) {
      largest = std::max(largest, std::bit_cast<std::uint32_t>(values[b * block + i]) & 0x7fffffffu);
    }
    const float scale = std::min(std::bit_cast<float>(largest) / 127.0f, 65504.0f);
    const float inverse = scale < 0x1p-126f ? 0.0f : 1.0f / scale;
    for (std::int64_t i = 0; i < block; ++i) {
      const float code = values[b * block + i] * inverse;
      const float rounded = std::clamp(std::round(code), -127.0f, 127.0f);
      to[b * block + i] = largest < infinite ? static_cast<std::byte>(static_cast<std::int8_t>(rounded)) : std::byte{0};
    }
    const std::uint16_t bits = largest < infinite ? f16_from_f32(scale) : std::uint16_t{0x7e00};
    std::memcpy(to + n + 2 * b, &bits, sizeof bits);
  }
  if (n / block % 2 != 0) std::memset(to + n + n / block * 2, 0, 2);
}

inline void load(const std::byte* from, std::int64_t n, float* values) {
  for (std::int64_t b = 0; b < n / block; ++b) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + n + 2 * b, sizeof bits);
    const float scale = f32_from_f16(bits);
    for (std::int64_t i = 0; i < block; ++i) {
      values[b * block + i] = scale * static_cast<float>(static_cast<std::int8_t>(from[b * block + i]));
    }
  }
}

}  // namespace q8_0

/// To nearest, ties to even, as formats/half.hpp does, but that finite values beyond f16's range are clamped, and what
/// is no finite number becomes no number: shaders/cache_f16.glsl. Without a branch, so that loops over it are vectors.
inline std::uint16_t cached_f16(float value) {
  constexpr std::uint32_t largest = 0x477fe000u, smallest_normal = 0x38800000u, infinite = 0x7f800000u;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), size = bits & 0x7fffffffu;
  const std::uint32_t bounded = size > largest ? largest : size;
  const std::uint32_t normal = (bounded - (112u << 23) + 0xfffu + ((bounded >> 13) & 1u)) >> 13;
  // A subnormal is the integer that the sum has in its last bits.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bounded) + 0.5f) - 0x3f000000u;
  const std::uint32_t finite = (bounded < smallest_normal ? subnormal : normal) | ((bits >> 16) & 0x8000u);
  return static_cast<std::uint16_t>(size >= infinite ? 0x7e00u : finite);
}

/// An entry of n elements, kept as `dtype`.
inline void store_entry(std::string_view dtype, const float* values, std::int64_t n, std::byte* to) {
  if (dtype == "q8_0") return q8_0::store(values, n, to);
  if (dtype == "f32") {
    std::memcpy(to, values, static_cast<std::size_t>(n) * sizeof(float));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint16_t bits = dtype == "f16" ? cached_f16(values[i]) : bf16_from_f32(values[i]);
    std::memcpy(to + 2 * i, &bits, sizeof bits);
  }
}

inline void load_entry(std::string_view dtype, const std::byte* from, std::int64_t n, float* values) {
  if (dtype == "q8_0") return q8_0::load(from, n, values);
  if (dtype == "f32") {
    std::memcpy(values, from, static_cast<std::size_t>(n) * sizeof(float));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * i, sizeof bits);
    values[i] = dtype == "f16" ? f32_from_f16(bits) : f32_from_bf16(bits);
  }
}

}  // namespace monomorph::cpu
