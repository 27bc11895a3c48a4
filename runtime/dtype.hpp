// Types of weights and of caches, a row each. A row of a matrix is made of whole blocks, `block_elements` elements in
// `block_bytes` bytes, and is padded to 16 bytes, so that kernels may read four 32-bit words at a time. What decodes a
// block is named after the type: shaders/block_<name>.glsl.
#pragma once

#include <cstddef>
#include <cstdint>

namespace monomorph {

enum class Dtype : std::uint32_t { f32, f16, bf16 };

struct DtypeRow {
  const char* name;    ///< in specs, in emitted code, in the names of shaders
  const char* header;  ///< in a safetensors header
  std::int64_t block_elements, block_bytes;
};

/// In the order of Dtype.
inline constexpr DtypeRow dtype_rows[] = {{"f32", "F32", 1, 4}, {"f16", "F16", 1, 2}, {"bf16", "BF16", 1, 2}};

constexpr const DtypeRow& row_of(Dtype dtype) { return dtype_rows[static_cast<std::size_t>(dtype)]; }
constexpr const char* name_of(Dtype dtype) { return row_of(dtype).name; }
/// Of a type whose blocks are single elements, as those of safetensors files are.
constexpr std::int64_t element_bytes(Dtype dtype) { return row_of(dtype).block_bytes; }

inline constexpr std::int64_t row_alignment = 16;

/// Bytes from one row of `columns` elements to the next.
constexpr std::int64_t row_bytes(Dtype dtype, std::int64_t columns) {
  const DtypeRow& row = row_of(dtype);
  const std::int64_t blocks = (columns + row.block_elements - 1) / row.block_elements;
  return (blocks * row.block_bytes + row_alignment - 1) / row_alignment * row_alignment;
}

}  // namespace monomorph
