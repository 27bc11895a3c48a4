// Rows of blocks as products by digits read them fastest: eight rows interleaved, block by block. What each of the
// eight has from byte n of a block on stands from byte 8 * n of the eight blocks on, row after row: words of four
// bytes, and what a block has before its first word, or behind the last one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/dtype.hpp"

namespace monomorph::cpu {

constexpr std::int64_t interleaved_rows = 8;

/// Where the words of a block begin: behind the scale, where that leaves another number than of whole words.
constexpr std::int64_t first_word(std::int64_t block_bytes) { return block_bytes < 64 ? block_bytes % 4 : 0; }

/// Interleaves eight rows of so many bytes each, which stand one after another; `out` has room for them.
void interleave(Dtype dtype, const std::byte* rows, std::int64_t row_bytes, std::byte* out);

/// One of eight interleaved rows, 0 to 7, as a file has it.
void copy_interleaved_row(Dtype dtype, const std::byte* eight, std::int64_t row, std::int64_t row_bytes,
                          std::byte* out);

}  // namespace monomorph::cpu
