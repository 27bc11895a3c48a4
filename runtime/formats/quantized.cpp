#include "runtime/formats/quantized.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <iterator>

#include "runtime/enumerators.hpp"
#include "runtime/formats/half.hpp"

namespace monomorph {
namespace {

constexpr std::size_t most_elements = most_block_elements, group_elements = 16,
                      most_groups = most_elements / group_elements;

/// A block taken apart. Element i is scales[i / 16] * (level of codes[i]) - minima[i / 16].
struct Block {
  std::array<std::uint8_t, most_elements> codes{};
  std::array<float, most_groups> scales{}, minima{};
};

std::uint8_t byte_at(const std::byte* block, std::size_t at) { return std::to_integer<std::uint8_t>(block[at]); }
std::uint32_t word_at(const std::byte* block, std::size_t at) {
  std::uint32_t word;
  std::memcpy(&word, block + at, sizeof word);
  return word;
}
float half_at(const std::byte* block, std::size_t at) {
  std::uint16_t bits;
  std::memcpy(&bits, block + at, sizeof bits);
  return f32_from_f16(bits);
}
std::int8_t signed_at(const std::byte* block, std::size_t at) { return static_cast<std::int8_t>(byte_at(block, at)); }

/// Sixteen bytes: codes 0 to 15 of a group of 32 in their low four bits, 16 to 31 in the high.
void take_nibbles(const std::byte* bytes, std::uint8_t* codes) {
  for (std::size_t i = 0; i < 16; ++i) {
    codes[i] = byte_at(bytes, i) & 15;
    codes[i + 16] = byte_at(bytes, i) >> 4;
  }
}
/// A bit for each of 32 codes.
void add_fifth_bits(std::uint32_t bits, std::uint8_t* codes) {
  for (std::size_t i = 0; i < 32; ++i) codes[i] |= static_cast<std::uint8_t>((bits >> i & 1) << 4);
}
void set_scales(Block& out, float scale, float minimum) {
  out.scales.fill(scale);
  out.minima.fill(minimum);
}

// -------------------------------------------------------------------------------------------- blocks of 32 elements

void take_q4_0(const std::byte* block, Block& out) {
  take_nibbles(block + 2, out.codes.data());
  set_scales(out, half_at(block, 0), 0);
}
void take_q4_1(const std::byte* block, Block& out) {
  take_nibbles(block + 4, out.codes.data());
  set_scales(out, half_at(block, 0), -half_at(block, 2));
}
void take_q5_0(const std::byte* block, Block& out) {
  take_nibbles(block + 6, out.codes.data());
  add_fifth_bits(word_at(block, 2), out.codes.data());
  set_scales(out, half_at(block, 0), 0);
}
void take_q5_1(const std::byte* block, Block& out) {
  take_nibbles(block + 8, out.codes.data());
  add_fifth_bits(word_at(block, 4), out.codes.data());
  set_scales(out, half_at(block, 0), -half_at(block, 2));
}
void take_q8_0(const std::byte* block, Block& out) {
  for (std::size_t i = 0; i < 32; ++i) out.codes[i] = byte_at(block, 2 + i);
  set_scales(out, half_at(block, 0), 0);
}
constexpr std::uint8_t no_exponent = 255;  // of MXFP4: it is no number
/// A power of two, halved since levels are doubled; below the second exponent it is subnormal.
void take_mxfp4(const std::byte* block, Block& out) {
  take_nibbles(block + 1, out.codes.data());
  const std::uint32_t exponent = byte_at(block, 0);
  const std::uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
  set_scales(out, exponent == no_exponent ? std::nanf("") : std::bit_cast<float>(bits), 0);
}

// ------------------------------------------------------------------------------------------- blocks of 256 elements

/// Codes of two bits: of each 128, a byte holds those of elements 32 apart.
void take_pairs_of_bits(const std::byte* bytes, std::uint8_t* codes) {
  for (std::size_t i = 0; i < 256; ++i) codes[i] = byte_at(bytes, i / 128 * 32 + i % 32) >> (2 * (i / 32 % 4)) & 3;
}
/// Of each 64 codes, a byte holds the four bits of elements 32 apart.
void take_nibbles_of_64(const std::byte* bytes, std::uint8_t* codes) {
  for (std::size_t i = 0; i < 256; ++i) codes[i] = byte_at(bytes, i / 64 * 32 + i % 32) >> (4 * (i / 32 % 2)) & 15;
}

/// Q3_K's sixteen scales of six bits: low four bits in bytes 0 to 7, high two in 8 to 11.
std::uint32_t scale_of_q3_k(const std::byte* bytes, std::size_t i) {
  const std::uint32_t low = i < 8 ? byte_at(bytes, i) & 15u : byte_at(bytes, i - 8) >> 4;
  return low | (byte_at(bytes, 8 + i % 4) >> (2 * (i / 4)) & 3u) << 4;
}
/// Q4_K's and Q5_K's eight scales and minima of six bits.
struct ScaleAndMinimum {
  std::uint32_t scale, minimum;
};
ScaleAndMinimum scale_of_q4_k(const std::byte* bytes, std::size_t i) {
  if (i < 4) return {byte_at(bytes, i) & 63u, byte_at(bytes, i + 4) & 63u};
  const std::uint32_t low = byte_at(bytes, i + 4), scale_high = byte_at(bytes, i - 4), minimum_high = byte_at(bytes, i);
  return {(low & 15) | scale_high >> 6 << 4, low >> 4 | minimum_high >> 6 << 4};
}

void take_q2_k(const std::byte* block, Block& out) {
  take_pairs_of_bits(block + 16, out.codes.data());
  for (std::size_t g = 0; g < most_groups; ++g) {
    out.scales[g] = half_at(block, 80) * static_cast<float>(byte_at(block, g) & 15);
    out.minima[g] = half_at(block, 82) * static_cast<float>(byte_at(block, g) >> 4);
  }
}
void take_q3_k(const std::byte* block, Block& out) {
  take_pairs_of_bits(block + 32, out.codes.data());
  for (std::size_t i = 0; i < 256; ++i) {
    out.codes[i] |= static_cast<std::uint8_t>((byte_at(block, i % 32) >> (i / 32) & 1) << 2);
  }
  for (std::size_t g = 0; g < most_groups; ++g) {
    out.scales[g] = half_at(block, 108) * (static_cast<float>(scale_of_q3_k(block + 96, g)) - 32);
  }
}
void take_q4_k(const std::byte* block, Block& out) {
  take_nibbles_of_64(block + 16, out.codes.data());
  for (std::size_t g = 0; g < most_groups; ++g) {
    const ScaleAndMinimum of_group = scale_of_q4_k(block + 4, g / 2);
    out.scales[g] = half_at(block, 0) * static_cast<float>(of_group.scale);
    out.minima[g] = half_at(block, 2) * static_cast<float>(of_group.minimum);
  }
}
void take_q5_k(const std::byte* block, Block& out) {
  take_q4_k(block, out);  // its header is the same
  take_nibbles_of_64(block + 48, out.codes.data());
  for (std::size_t i = 0; i < 256; ++i) {
    out.codes[i] |= static_cast<std::uint8_t>((byte_at(block, 16 + i % 32) >> (i / 32) & 1) << 4);
  }
}
void take_q6_k(const std::byte* block, Block& out) {
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t half = i / 128, quarter = i / 32 % 4;
    const std::uint32_t low = byte_at(block, 64 * half + 32 * (quarter % 2) + i % 32) >> (4 * (quarter / 2)) & 15u;
    const std::uint32_t high = byte_at(block, 128 + 32 * half + i % 32) >> (2 * quarter) & 3u;
    out.codes[i] = static_cast<std::uint8_t>(low | high << 4);
  }
  for (std::size_t g = 0; g < most_groups; ++g) {
    out.scales[g] = half_at(block, 208) * static_cast<float>(signed_at(block, 192 + g));
  }
}
void take_iq4_xs(const std::byte* block, Block& out) {
  for (std::size_t i = 0; i < 8; ++i) take_nibbles(block + 8 + 16 * i, out.codes.data() + 32 * i);
  for (std::size_t g = 0; g < most_groups; ++g) {
    const std::size_t of_32 = g / 2;
    const std::uint32_t low = byte_at(block, 4 + of_32 / 2) >> (4 * (of_32 % 2)) & 15u;
    const std::uint32_t high = word_at(block, 0) >> (16 + 2 * of_32) & 3u;
    out.scales[g] = half_at(block, 0) * (static_cast<float>(low | high << 4) - 32);
  }
}

// --------------------------------------------------------------------------------------------------- scales on devices

/// Pairs of numbers of six bits: for each a byte with their low four bits, then for each four bits with their high two.
void pack_six_bits(const std::array<ScaleAndMinimum, 8>& pairs, std::byte* out) {
  for (std::size_t i = 0; i < 8; ++i) {
    const auto [a, b] = pairs[i];
    out[i] = static_cast<std::byte>((a & 15) | (b & 15) << 4);
    const std::uint32_t high = a >> 4 | (b >> 4) << 2;
    if (i % 2 == 0) out[8 + i / 2] = std::byte{0};
    out[8 + i / 2] |= static_cast<std::byte>(high << (4 * (i % 2)));
  }
}

using Planes = std::array<std::byte*, 4>;
std::byte* plane(const Planes& planes, Plane which) { return planes[static_cast<std::size_t>(which)]; }

/// Scales that stand in a block from `first` on as they stand in a plane.
template <std::size_t first, std::size_t bytes>
void copy_scales(const std::byte* block, const Planes& planes) {
  std::memcpy(plane(planes, Plane::scale), block + first, bytes);
}
void cut_q2_k(const std::byte* block, const Planes& planes) {
  std::memcpy(plane(planes, Plane::scale), block, 16);
  std::memcpy(plane(planes, Plane::block), block + 80, 4);
}
void cut_q3_k(const std::byte* block, const Planes& planes) {
  std::array<ScaleAndMinimum, 8> pairs{};
  for (std::size_t i = 0; i < 8; ++i)
    pairs[i] = {scale_of_q3_k(block + 96, 2 * i), scale_of_q3_k(block + 96, 2 * i + 1)};
  pack_six_bits(pairs, plane(planes, Plane::scale));
  std::memcpy(plane(planes, Plane::block), block + 108, 2);
}
void cut_q4_k(const std::byte* block, const Planes& planes) {
  std::array<ScaleAndMinimum, 8> pairs{};
  for (std::size_t i = 0; i < 8; ++i) pairs[i] = scale_of_q4_k(block + 4, i);
  std::memcpy(plane(planes, Plane::scale), block, 4);
  pack_six_bits(pairs, plane(planes, Plane::scale) + 4);
}
void cut_q6_k(const std::byte* block, const Planes& planes) {
  std::memcpy(plane(planes, Plane::scale), block + 192, 16);
  std::memcpy(plane(planes, Plane::block), block + 208, 2);
}

// --------------------------------------------------------------------------------------------------------------- rows

constexpr std::array<std::int8_t, 16> iq4_levels = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                    1,    13,   25,  38,  53,  69,  89,  113};
constexpr std::array<std::int8_t, 16> fp4_levels = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Where a block has the f16 that scales it, and that of its minima: added, or subtracted with a minus. -1: nowhere.
struct Halves {
  int scale, minimum;
  float sign = 1;
};

struct QuantizedRow {
  Dtype dtype;
  Halves halves;
  unsigned low_bits, high_bits;               ///< of a code, in each plane
  int zero;                                   ///< a code's level is the code less this...
  const std::array<std::int8_t, 16>* levels;  ///< ... or stands here
  void (*take)(const std::byte* block, Block& out);
  void (*cut)(const std::byte* block, const Planes& planes);  ///< the planes of scales
};

constexpr QuantizedRow quantized_rows[] = {
    {Dtype::q4_0, {0, -1}, 4, 0, 8, nullptr, take_q4_0, copy_scales<0, 2>},
    {Dtype::q4_1, {0, 2}, 4, 0, 0, nullptr, take_q4_1, copy_scales<0, 4>},
    {Dtype::q5_0, {0, -1}, 4, 1, 16, nullptr, take_q5_0, copy_scales<0, 2>},
    {Dtype::q5_1, {0, 2}, 4, 1, 0, nullptr, take_q5_1, copy_scales<0, 4>},
    {Dtype::q8_0, {0, -1}, 8, 0, 0, nullptr, take_q8_0, copy_scales<0, 2>},
    {Dtype::q2_k, {80, 82, -1}, 2, 0, 0, nullptr, take_q2_k, cut_q2_k},
    {Dtype::q3_k, {108, -1}, 2, 1, 4, nullptr, take_q3_k, cut_q3_k},
    {Dtype::q4_k, {0, 2, -1}, 4, 0, 0, nullptr, take_q4_k, cut_q4_k},
    {Dtype::q5_k, {0, 2, -1}, 4, 1, 0, nullptr, take_q5_k, cut_q4_k},
    {Dtype::q6_k, {208, -1}, 4, 2, 32, nullptr, take_q6_k, cut_q6_k},
    {Dtype::iq4_nl, {0, -1}, 4, 0, 0, &iq4_levels, take_q4_0, copy_scales<0, 2>},
    {Dtype::iq4_xs, {0, -1}, 4, 0, 0, &iq4_levels, take_iq4_xs, copy_scales<0, 8>},
    {Dtype::mxfp4, {-1, -1}, 4, 0, 0, &fp4_levels, take_mxfp4, copy_scales<0, 1>},
};

constexpr bool every_type_has_a_row() {
  std::size_t quantized = 0;
  for (std::size_t i = 0; i < std::size(dtype_rows); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (!is_quantized(dtype)) continue;
    if (quantized == std::size(quantized_rows) || quantized_rows[quantized].dtype != dtype) return false;
    ++quantized;
  }
  return quantized == std::size(quantized_rows);
}
static_assert(std::size(dtype_rows) == enumerator_count<Dtype>(), "every type has a row");
static_assert(every_type_has_a_row(), "every quantized type has a row, in the order of Dtype");

const QuantizedRow& quantized_row(Dtype dtype) {
  return *std::find_if(std::begin(quantized_rows), std::end(quantized_rows),
                       [&](const QuantizedRow& row) { return row.dtype == dtype; });
}

float level_of(const QuantizedRow& row, std::uint8_t code) {
  if (row.levels != nullptr) return (*row.levels)[code];
  if (row.low_bits == 8) return static_cast<std::int8_t>(code);
  return static_cast<float>(static_cast<int>(code) - row.zero);
}

/// `bits` bits of each code from `shift` on, neighbours beside each other, lowest first; `out` was zero.
void pack_codes(std::span<const std::uint8_t> codes, unsigned shift, unsigned bits, std::byte* out) {
  const unsigned mask = (1u << bits) - 1, in_byte = 8 / bits;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    out[i / in_byte] |= static_cast<std::byte>((codes[i] >> shift & mask) << (i % in_byte * bits));
  }
}

}  // namespace

void decode_blocks(Dtype dtype, const std::byte* blocks, std::span<float> out) {
  if (!is_quantized(dtype)) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::uint16_t bits = 0;
      if (dtype == Dtype::f32) {
        std::memcpy(&out[i], blocks + 4 * i, 4);
        continue;
      }
      std::memcpy(&bits, blocks + 2 * i, 2);
      out[i] = dtype == Dtype::f16 ? f32_from_f16(bits) : f32_from_bf16(bits);
    }
    return;
  }
  const QuantizedRow& row = quantized_row(dtype);
  const auto elements = static_cast<std::size_t>(row_of(dtype).block_elements);
  assert(out.size() % elements == 0);
  Block block;
  for (std::size_t first = 0; first < out.size(); first += elements, blocks += row_of(dtype).block_bytes) {
    row.take(blocks, block);
    for (std::size_t i = 0; i < elements; ++i) {
      const std::size_t group = i / group_elements;
      out[first + i] = block.scales[group] * level_of(row, block.codes[i]) - block.minima[group];
    }
  }
}

void cut_into_planes(Dtype dtype, const std::byte* blocks, std::int64_t columns, std::span<std::byte> row) {
  assert(static_cast<std::int64_t>(row.size()) == row_bytes(dtype, columns));
  std::fill(row.begin(), row.end(), std::byte{0});
  const DtypeRow& type = row_of(dtype);
  if (!is_quantized(dtype)) {
    std::memcpy(row.data(), blocks, static_cast<std::size_t>(columns * type.block_bytes));
    return;
  }
  const QuantizedRow& quantized = quantized_row(dtype);
  Planes planes{};
  for (const Plane which : {Plane::low, Plane::high, Plane::scale, Plane::block}) {
    planes[static_cast<std::size_t>(which)] = row.data() + plane_offset(dtype, columns, which);
  }
  Block block;
  for (std::int64_t first = 0; first < columns; first += type.block_elements, blocks += type.block_bytes) {
    quantized.take(blocks, block);
    const auto codes = std::span(block.codes).first(static_cast<std::size_t>(type.block_elements));
    pack_codes(codes, 0, quantized.low_bits, plane(planes, Plane::low));
    if (quantized.high_bits > 0) pack_codes(codes, quantized.low_bits, quantized.high_bits, plane(planes, Plane::high));
    quantized.cut(blocks, planes);
    for (std::size_t i = 0; i < planes.size(); ++i) planes[i] += type.planes[i];
  }
}

std::int64_t find_bad_scale(Dtype dtype, const std::byte* blocks, std::int64_t count) {
  const Halves& halves = quantized_row(dtype).halves;
  const auto finite = [](const std::byte* block, int at) {
    return at < 0 || std::isfinite(half_at(block, static_cast<std::size_t>(at)));
  };
  for (std::int64_t i = 0; i < count; ++i, blocks += row_of(dtype).block_bytes) {
    if (!finite(blocks, halves.scale) || !finite(blocks, halves.minimum)) return i;
    if (dtype == Dtype::mxfp4 && byte_at(blocks, 0) == no_exponent) return i;
  }
  return -1;
}

void fill_random_block(Dtype dtype, std::uint64_t seed, float size, std::span<std::byte> block) {
  for (std::byte& byte : block) {  // splitmix64
    std::uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    byte = static_cast<std::byte>((z ^ (z >> 31)) >> 56);
  }
  const QuantizedRow& row = quantized_row(dtype);
  const auto set_half = [&](int at, float value) {
    const std::uint16_t bits = f16_from_f32(value);
    if (at >= 0) std::memcpy(block.data() + at, &bits, sizeof bits);
  };
  // Codes are spread evenly, so that what is subtracted is their mean.
  const float mean = static_cast<float>((1u << (row.low_bits + row.high_bits)) - 1) / 2;
  const auto set_scale = [&](float scale) {
    set_half(row.halves.scale, scale);
    set_half(row.halves.minimum, -row.halves.sign * mean * scale);
    if (dtype == Dtype::mxfp4) block[0] = static_cast<std::byte>(128 + std::ilogb(scale));
  };
  set_scale(1);
  std::array<float, most_elements> elements;
  const auto all = std::span(elements).first(static_cast<std::size_t>(row_of(dtype).block_elements));
  decode_blocks(dtype, block.data(), all);
  double squares = 0;
  for (const float element : all) squares += static_cast<double>(element) * static_cast<double>(element);
  if (squares > 0) set_scale(size / static_cast<float>(std::sqrt(squares / static_cast<double>(all.size()))));
}

}  // namespace monomorph
