// Blocks of quantized weights, for tests: the same as make_quantized.py makes. Their bytes are compared by hash.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dtype.hpp"

namespace monomorph::tests {

inline constexpr Dtype quantized_types[] = {Dtype::q4_0,   Dtype::q4_1,   Dtype::q5_0, Dtype::q5_1, Dtype::q8_0,
                                            Dtype::q2_k,   Dtype::q3_k,   Dtype::q4_k, Dtype::q5_k, Dtype::q6_k,
                                            Dtype::iq4_nl, Dtype::iq4_xs, Dtype::mxfp4};

/// ggml's number of a type.
inline std::uint32_t ggml_number(Dtype dtype) {
  constexpr std::pair<Dtype, std::uint32_t> numbers[] = {
      {Dtype::f32, 0},     {Dtype::f16, 1},     {Dtype::q4_0, 2},  {Dtype::q4_1, 3},
      {Dtype::q5_0, 6},    {Dtype::q5_1, 7},    {Dtype::q8_0, 8},  {Dtype::q2_k, 10},
      {Dtype::q3_k, 11},   {Dtype::q4_k, 12},   {Dtype::q5_k, 13}, {Dtype::q6_k, 14},
      {Dtype::iq4_nl, 20}, {Dtype::iq4_xs, 23}, {Dtype::bf16, 30}, {Dtype::mxfp4, 39}};
  return std::ranges::find(numbers, dtype, &std::pair<Dtype, std::uint32_t>::first)->second;
}

/// Where a block has its f16 numbers; MXFP4 has an exponent instead.
inline std::vector<std::size_t> halves_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::q4_1:
    case Dtype::q5_1:
    case Dtype::q4_k:
    case Dtype::q5_k:
      return {0, 2};
    case Dtype::q2_k:
      return {80, 82};
    case Dtype::q3_k:
      return {108};
    case Dtype::q6_k:
      return {208};
    case Dtype::mxfp4:
      return {};
    default:
      return {0};
  }
}

/// What scales blocks have: an f16 and an exponent; `any`: every one that is finite.
struct BlockScales {
  const char* name;
  bool any;
  std::uint16_t half;
  std::uint8_t exponent;
};
inline constexpr BlockScales block_scales[] = {{"any", true, 0, 0},
                                               {"zero", false, 0x0000, 0},
                                               {"minus_zero", false, 0x8000, 0},
                                               {"subnormal", false, 0x0003, 1},
                                               {"largest", false, 0x7bff, 254}};

/// The next number of a sequence that begins with `state`.
inline std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// FNV-1a.
inline std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

inline std::vector<std::byte> random_blocks(Dtype dtype, const BlockScales& scales, std::size_t count,
                                            std::uint64_t seed = 1) {
  const auto size = static_cast<std::size_t>(row_of(dtype).block_bytes);
  std::vector<std::byte> blocks(count * size);
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(splitmix64(seed) >> 56);
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* block = blocks.data() + i * size;
    for (const std::size_t at : halves_of(dtype)) {
      if (!scales.any) {
        block[at] = static_cast<std::byte>(scales.half & 255);
        block[at + 1] = static_cast<std::byte>(scales.half >> 8);
      } else if ((block[at + 1] & std::byte{0x7c}) == std::byte{0x7c}) {
        block[at + 1] &= std::byte{0xbf};
      }
    }
    if (dtype == Dtype::mxfp4) block[0] = scales.any ? std::min(block[0], std::byte{254}) : std::byte{scales.exponent};
  }
  return blocks;
}

}  // namespace monomorph::tests
