#include "runtime/formats/conversion.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "runtime/formats/half.hpp"

namespace monomorph {
namespace {

constexpr std::size_t block_elements = 32;
using Values = std::span<const float, block_elements>;

void put_half(std::uint16_t bits, std::byte* at) { std::memcpy(at, &bits, sizeof bits); }

/// Without the sign; in the order of magnitudes, and above them what is no number.
std::int32_t magnitude_bits(float value) { return std::bit_cast<std::int32_t>(value) & 0x7fffffff; }

/// Index of the first value of largest magnitude, or of one that is not finite.
std::size_t find_largest(Values values) {
  std::int32_t largest = 0;
  for (const float value : values) largest = std::max(largest, magnitude_bits(value));
  return static_cast<std::size_t>(std::ranges::find(values, largest, magnitude_bits) - values.begin());
}

/// What values are multiplied by. A scale too small to have an inverse is zero as f16, whatever the codes are.
float inverse_of(float scale) {
  const float inverse = 1 / scale;
  return std::isfinite(inverse) ? inverse : 0;
}

/// Codes are rounded half away from zero, in double, which is exact and faster than the library's function.
void put_q8_0(Values values, float largest, std::byte* block) {
  const float scale = std::abs(largest) / 127, inverse = inverse_of(scale);
  put_half(f16_from_f32(scale), block);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double code = static_cast<double>(values[i] * inverse);
    block[2 + i] = static_cast<std::byte>(static_cast<std::int8_t>(code + std::copysign(0.5, code)));
  }
}

/// The value of largest magnitude has the code 0. Its sign is the scale's, turned.
void put_q4_0(Values values, float largest, std::byte* block) {
  const float scale = largest / -8, inverse = inverse_of(scale);
  put_half(f16_from_f32(scale), block);
  const auto code = [&](float value) {
    const auto rounded = static_cast<std::int32_t>(value * inverse + 8.5f);
    return static_cast<std::uint32_t>(rounded < 15 ? rounded : 15);
  };
  for (std::size_t i = 0; i < 16; ++i)
    block[2 + i] = static_cast<std::byte>(code(values[i]) | code(values[i + 16]) << 4);
}

std::int64_t encode_quantized(Dtype dtype, std::span<const float> values, std::byte* blocks) {
  assert(values.size() % block_elements == 0);
  for (std::size_t first = 0; first < values.size(); first += block_elements) {
    const Values block = values.subspan(first).first<block_elements>();
    const std::size_t at = find_largest(block);
    const float steps = dtype == Dtype::q8_0 ? 127 : 8;
    if (!std::isfinite(f32_from_f16(f16_from_f32(block[at] / steps)))) return static_cast<std::int64_t>(first + at);
    (dtype == Dtype::q8_0 ? put_q8_0 : put_q4_0)(block, block[at], blocks);
    blocks += row_of(dtype).block_bytes;
  }
  return -1;
}

}  // namespace

std::int64_t encode_blocks(Dtype dtype, std::span<const float> values, std::byte* blocks) {
  if (is_quantized(dtype)) return encode_quantized(dtype, values, blocks);
  if (dtype == Dtype::f32) {
    std::memcpy(blocks, values.data(), values.size_bytes());
    return -1;
  }
  const std::uint16_t infinite = dtype == Dtype::f16 ? 0x7c00 : 0x7f80;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = dtype == Dtype::f16 ? f16_from_f32(values[i]) : bf16_from_f32(values[i]);
    if ((bits & infinite) == infinite && std::isfinite(values[i])) return static_cast<std::int64_t>(i);
    put_half(bits, blocks + 2 * i);
  }
  return -1;
}

std::string describe_conversions(const Conversions& conversions) {
  std::string text;
  for (const auto& [types, matrices] : conversions) {
    text += fmt::format("{}{} to {}: {} {}", text.empty() ? "" : ", ", name_of(types.first), name_of(types.second),
                        matrices, matrices == 1 ? "matrix" : "matrices");
  }
  return text;
}

}  // namespace monomorph
