// Types of weights and of caches, a row each. A row of a matrix is made of whole blocks. In a file a block is
// block_bytes bytes; on a device it is cut into planes, and a row is its planes one after another, each of whole 32-bit
// words, padded to 16 bytes in all, so that kernels may read four words at a time. What a lane of a kernel decodes at
// once is a unit. shaders/format_<name>.glsl decodes units, runtime/formats/quantized.cpp decodes blocks and cuts them.
//
// Blocks are those of ggml, https://github.com/ggml-org/ggml (ggml-common.h), which GGUF files hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace monomorph {

enum class Dtype : std::uint32_t {
  f32,
  f16,
  bf16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq4_nl,
  iq4_xs,
  mxfp4
};

/// Planes of a block, in their order: codes or their low bits, their high bits, scales of units, scales of blocks.
enum class Plane : std::uint32_t { low, high, scale, block, end };

struct DtypeRow {
  const char* name;    ///< in specs, in emitted code, in the names of shaders
  const char* header;  ///< in a checkpoint: safetensors' names and ggml's
  std::int64_t block_elements, block_bytes;
  std::int64_t unit_elements;
  std::array<std::int64_t, 4> planes;  ///< bytes of a block in each
};

/// In the order of Dtype.
inline constexpr DtypeRow dtype_rows[] = {
    {"f32", "F32", 1, 4, 4, {4}},
    {"f16", "F16", 1, 2, 8, {2}},
    {"bf16", "BF16", 1, 2, 8, {2}},
    {"q4_0", "Q4_0", 32, 18, 32, {16, 0, 2, 0}},
    {"q4_1", "Q4_1", 32, 20, 32, {16, 0, 4, 0}},
    {"q5_0", "Q5_0", 32, 22, 32, {16, 4, 2, 0}},
    {"q5_1", "Q5_1", 32, 24, 32, {16, 4, 4, 0}},
    {"q8_0", "Q8_0", 32, 34, 32, {32, 0, 2, 0}},
    {"q2_k", "Q2_K", 256, 84, 32, {64, 0, 16, 4}},
    {"q3_k", "Q3_K", 256, 110, 32, {64, 32, 12, 2}},
    {"q4_k", "Q4_K", 256, 144, 32, {128, 0, 16, 0}},
    {"q5_k", "Q5_K", 256, 176, 32, {128, 32, 16, 0}},
    {"q6_k", "Q6_K", 256, 210, 32, {128, 64, 16, 2}},
    {"iq4_nl", "IQ4_NL", 32, 18, 32, {16, 0, 2, 0}},
    {"iq4_xs", "IQ4_XS", 256, 136, 32, {128, 0, 8, 0}},
    {"mxfp4", "MXFP4", 32, 17, 32, {16, 0, 1, 0}},
};

inline constexpr std::size_t most_block_elements = 256;

constexpr const DtypeRow& row_of(Dtype dtype) { return dtype_rows[static_cast<std::size_t>(dtype)]; }
constexpr const char* name_of(Dtype dtype) { return row_of(dtype).name; }
/// Whether elements share scales.
constexpr bool is_quantized(Dtype dtype) { return row_of(dtype).block_elements > 1; }
/// Bits of an element, its share of scales included.
constexpr double element_bits(Dtype dtype) {
  return 8.0 * static_cast<double>(row_of(dtype).block_bytes) / static_cast<double>(row_of(dtype).block_elements);
}
/// Of a type that is not quantized.
constexpr std::int64_t element_bytes(Dtype dtype) { return row_of(dtype).block_bytes; }

constexpr bool planes_hold_blocks() {
  for (const DtypeRow& row : dtype_rows) {
    if (row.planes[0] + row.planes[1] + row.planes[2] + row.planes[3] != row.block_bytes) return false;
  }
  return true;
}
static_assert(planes_hold_blocks(), "what a device stores is as large as what the file holds");

inline constexpr std::int64_t row_alignment = 16;

/// Bytes of a row before a plane.
constexpr std::int64_t plane_offset(Dtype dtype, std::int64_t columns, Plane plane) {
  const DtypeRow& row = row_of(dtype);
  const std::int64_t blocks = (columns + row.block_elements - 1) / row.block_elements;
  std::int64_t bytes = 0;
  for (std::size_t before = 0; before < static_cast<std::size_t>(plane); ++before)
    bytes += (blocks * row.planes[before] + 3) / 4 * 4;
  return bytes;
}

/// Bytes of so many elements, whole blocks, in a file.
constexpr std::int64_t file_row_bytes(Dtype dtype, std::int64_t columns) {
  return columns / row_of(dtype).block_elements * row_of(dtype).block_bytes;
}

/// Bytes from one row of `columns` elements to the next on a device.
constexpr std::int64_t row_bytes(Dtype dtype, std::int64_t columns) {
  return (plane_offset(dtype, columns, Plane::end) + row_alignment - 1) / row_alignment * row_alignment;
}

}  // namespace monomorph
