#include "runtime/cpu/interleave.hpp"

#include <cstring>

namespace monomorph::cpu {
namespace {

/// Calls move(n, size) for each part of a block: `size` bytes, which begin at byte n.
template <class Move>
void each_part(int block_bytes, Move move) {
  const int first = first_word(block_bytes), end = block_bytes - (block_bytes - first) % 4;
  if (first > 0) move(0, first);
  for (int n = first; n < end; n += 4) move(n, 4);
  if (end < block_bytes) move(end, block_bytes - end);
}

int block_bytes_of(Dtype dtype) { return static_cast<int>(row_of(dtype).block_bytes); }

}  // namespace

void interleave(Dtype dtype, const std::byte* rows, std::int64_t count, std::int64_t row_bytes, std::byte* out) {
  const int block_bytes = block_bytes_of(dtype);
  for (std::int64_t first = 0; first < count; first += interleaved_rows) {
    for (std::int64_t at = 0; at < row_bytes; at += block_bytes, out += interleaved_rows * block_bytes) {
      for (std::int64_t row = 0; row < interleaved_rows; ++row) {
        const std::byte* const block = rows + (first + row) * row_bytes + at;
        each_part(block_bytes, [&](int n, int size) {
          std::memcpy(out + interleaved_rows * n + row * size, block + n, static_cast<std::size_t>(size));
        });
      }
    }
  }
}

void copy_interleaved_row(Dtype dtype, const std::byte* eight, std::int64_t row, std::int64_t row_bytes,
                          std::byte* out) {
  const int block_bytes = block_bytes_of(dtype);
  for (std::int64_t at = 0; at < row_bytes; at += block_bytes, eight += interleaved_rows * block_bytes) {
    each_part(block_bytes, [&](int n, int size) {
      std::memcpy(out + at + n, eight + interleaved_rows * n + row * size, static_cast<std::size_t>(size));
    });
  }
}

}  // namespace monomorph::cpu
