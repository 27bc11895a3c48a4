// Blocks of quantized weights as files hold them: decoded exactly, and cut into the planes that kernels read.
//
// Formulas are ggml's (ggml-quants.c, dequantize_row_*). Every product below is exact in f32, so each element is
// rounded once at most, and equals what ggml's own decoder gives, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/dtype.hpp"

namespace monomorph {

/// Elements of whole blocks; out.size() is a multiple of block_elements. Types that are not quantized are widened.
void decode_blocks(Dtype dtype, const std::byte* blocks, std::span<float> out);

/// A row of `columns` elements as the device stores it; `row` has row_bytes(dtype, columns). Padding becomes zero.
void cut_into_planes(Dtype dtype, const std::byte* blocks, std::int64_t columns, std::span<std::byte> row);

/// The first of so many blocks that has a scale which is no number or infinite; -1: none has. Of a quantized type.
std::int64_t find_bad_scale(Dtype dtype, const std::byte* blocks, std::int64_t count);

/// A block of random codes, the same for the same seed, whose elements have the root mean square `size`.
void fill_random_block(Dtype dtype, std::uint64_t seed, float size, std::span<std::byte> block);

}  // namespace monomorph
