// Interleaved rows as a file has them, for products with packed inputs.
#pragma once

#include "runtime/cpu/levels/eight_blocks.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

/// Four words of each of eight interleaved rows, at a place of theirs.
[[maybe_unused]] void copy_strip(const Strip& strip, std::byte* rows, std::int64_t row_bytes) {
  const Strip halves = transposed(strip);  // rows r and r + 4
  for (int r = 0; r < 4; ++r) {
    const __m128i of_row[] = {_mm256_castsi256_si128(halves.column[r]), _mm256_extracti128_si256(halves.column[r], 1)};
    __builtin_memcpy(rows + r * row_bytes, &of_row[0], sizeof of_row[0]);
    __builtin_memcpy(rows + (r + 4) * row_bytes, &of_row[1], sizeof of_row[1]);
  }
}

template <class Format>
void deinterleave(const std::byte* eight, std::int64_t columns, std::byte* rows) {
  constexpr int bytes = Format::block_bytes, first = first_word(bytes);
  constexpr int words = (bytes - first) / 4, in_strips = words / 4 * 4, end = first + 4 * words;
  const std::int64_t blocks = columns / (chunk * Format::chunks), row_bytes = blocks * bytes;
  for (std::int64_t nth = 0; nth < blocks; ++nth, eight += interleaved_rows * bytes, rows += bytes) {
    const auto copy = [&](int at, int size) {
      for (int r = 0; r < interleaved_rows; ++r) {
        __builtin_memcpy(rows + r * row_bytes + at, eight + interleaved_rows * at + r * size,
                         static_cast<std::size_t>(size));
      }
    };
    if constexpr (first > 0) copy(0, first);
    for (int word = 0; word < in_strips; word += 4) {
      const int at = first + 4 * word;
      copy_strip(InterleavedBlocks(eight).strip(at), rows + at, row_bytes);
    }
    for (int word = in_strips; word < words; ++word) copy(first + 4 * word, 4);
    if constexpr (end < bytes) copy(end, bytes - end);
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
