// Products of rows with one input in integers (digits.hpp): eight rows at once, one in each 32 bits of a register
// (rows_in_lanes.hpp). Four neighbouring codes of a row are multiplied with four digits of the input by one
// instruction, and as the eight rows have the same columns, what other columns gave is added by another, in sixteen
// bits: floats take twice as many. AVX-512's VNNI multiplies and adds in one, in 32 bits.
#pragma once

#include "runtime/cpu/levels/products.hpp"
#include "runtime/cpu/levels/rows_in_lanes.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

/// The sums of products of codes with the input's digits: whole ones of the upper two digits, and of the lowest.
struct DigitSums {
  RowsOfWords upper = {}, lower = {};
};

/// Four digits of the input, the same in all rows.
[[maybe_unused]] __m256i in_all_rows(const DigitBlock& input, int digit, int column) {
  return _mm256_set1_epi32(load<std::int32_t>(&input.digits[digit][4 * column]));
}

#ifdef MONOMORPH_WIDE_DIGITS

/// Adds those of the columns from `column` to `end`: an instruction multiplies and adds in 32 bits.
template <int nth, int column, int end, class Rows>
void add_group(const Rows& rows, const DigitBlock& input, DigitSums& sums) {
  __m256i of_digit[3] = {};
  unrolled<end - column>([&]<int n>() {
    const RowsOfWords codes = rows.template codes<nth, column + n>();
    unrolled<3>([&]<int digit>() {
      of_digit[digit] = _mm256_dpbusd_epi32(of_digit[digit], codes, in_all_rows(input, digit, column + n));
    });
  });
  sums.lower = of_digit[0];
  sums.upper = _mm256_add_epi32(_mm256_slli_epi32(of_digit[2], 8), of_digit[1]);
}

#else

/// Adds those of `count` columns, which together fit into sixteen bits.
template <int nth, int column, int count, class Rows>
void add_columns(const Rows& rows, const DigitBlock& input, DigitSums& sums) {
  __m256i of_digit[3];
  const auto add = [&]<int n>(auto&& self) {
    const RowsOfWords codes = rows.template codes<nth, column + n>();
    for (int digit = 0; digit < 3; ++digit) {
      const __m256i products = _mm256_maddubs_epi16(codes, in_all_rows(input, digit, column + n));
      of_digit[digit] = n == 0 ? products : _mm256_add_epi16(of_digit[digit], products);
    }
    if constexpr (n + 1 < count) self.template operator()<n + 1>(self);
  };
  add.template operator()<0>(add);
  const __m256i ones = _mm256_set1_epi16(1), base = _mm256_set1_epi16(256);
  sums.lower = _mm256_add_epi32(sums.lower, _mm256_madd_epi16(of_digit[0], ones));
  sums.upper = _mm256_add_epi32(
      sums.upper, _mm256_add_epi32(_mm256_madd_epi16(of_digit[2], base), _mm256_madd_epi16(of_digit[1], ones)));
}

/// Adds those of the columns from `column` to `end`.
template <int nth, int column, int end, class Rows>
void add_group(const Rows& rows, const DigitBlock& input, DigitSums& sums) {
  constexpr int most = 32767 / (2 * 128 * Rows::greatest), left = end - column;
  static_assert(most >= 2);
  constexpr int together = most >= left ? left : most >= 4 ? 4 : 2;
  add_columns<nth, column, together>(rows, input, sums);
  if constexpr (together < left) add_group<nth, column + together, end>(rows, input, sums);
}

#endif

/// Adds the products of a chunk from a group of columns on.
template <int nth, int group, class Rows>
RowsOfFloats add_chunk(const Rows& rows, const DigitBlock& input, RowsOfFloats sum) {
  constexpr int columns = Rows::columns_of_scale;
  DigitSums sums;
  add_group<nth, group * columns, (group + 1) * columns>(rows, input, sums);
  const DigitBlock::Part& part = input.parts[columns == 8 ? 2 : group];
  RowsOfFloats upper = floats_of(sums.upper), lower = floats_of(sums.lower);
  if constexpr (Rows::zero > 0) {
    const RowsOfFloats zero = in_all_rows(-Rows::zero);
    upper = add_scaled(zero, in_all_rows(part.upper), upper);
    lower = add_scaled(zero, in_all_rows(part.lower), lower);
  }
  const RowsOfFloats products = add_scaled(upper, in_all_rows(256), lower);
  sum = add_scaled(products, rows.template scale<nth, group>() * in_all_rows(input.scale), sum);
  if constexpr (requires { rows.template minimum<nth, group>(); }) {
    sum = add_scaled(rows.template minimum<nth, group>(), in_all_rows(part.total), sum);
  }
  if constexpr ((group + 1) * columns < 8) return add_chunk<nth, group + 1>(rows, input, sum);
  return sum;
}

template <class Format>
constexpr int chunks_of_round = Format::chunks == 1 ? 1 : 2;

/// Adds the products of a round from its nth chunk on.
template <class Format, int nth = 0, class Rows>
RowsOfFloats add_round(const Rows& rows, const DigitBlock* input, RowsOfFloats sum) {
  sum = add_chunk<nth, 0>(rows, input[nth], sum);
  if constexpr (nth + 1 < chunks_of_round<Format>) return add_round<Format, nth + 1>(rows, input, sum);
  return sum;
}

template <class Format>
constexpr int rounds_of_block = Format::chunks / chunks_of_round<Format>;

/// Eight rows as a file has them.
template <class Format>
class EightRows {
 public:
  typedef BlocksOfRows Blocks;
  explicit EightRows(const std::byte* const* rows)
      : rows_(rows), ahead_(interleaved_rows * distance_of_rows(rows, interleaved_rows)) {}
  Blocks block(std::int64_t nth) const { return {rows_, nth * Format::block_bytes}; }
  void fetch_behind(std::int64_t round) const {
    constexpr int bytes = Format::block_bytes / rounds_of_block<Format>;
    for (int r = 0; r < interleaved_rows; ++r) fetch<bytes>(rows_[r] + ahead_ + round * bytes);
  }

 private:
  const std::byte* const* rows_;
  std::int64_t ahead_;
};

/// Eight interleaved rows.
template <class Format>
class EightInterleaved {
 public:
  typedef InterleavedBlocks Blocks;
  explicit EightInterleaved(const std::byte* eight) : eight_(eight) {}
  Blocks block(std::int64_t nth) const { return Blocks(eight_ + nth * bytes); }
  void fetch_behind(std::int64_t round) const {
    constexpr int ahead = 4096, bytes_of_round = bytes / rounds_of_block<Format>;
    for (int n = 0; n < bytes_of_round; n += 64) __builtin_prefetch(eight_ + round * bytes_of_round + ahead + n);
  }

 private:
  static constexpr int bytes = interleaved_rows * Format::block_bytes;
  const std::byte* eight_;
};

template <class Format, class Eight>
RowsOfFloats multiply_eight(const Eight& rows, std::int64_t blocks, const DigitBlock* input) {
  RowsOfFloats sum = {};
  for (std::int64_t nth = 0; nth < blocks; ++nth) {
    RowsInLanes<Format, typename Eight::Blocks> block(rows.block(nth));
    for (int round = 0; round < rounds_of_block<Format>; ++round) {
      const std::int64_t step = nth * rounds_of_block<Format> + round;
      rows.fetch_behind(step);
      if constexpr (requires { block.begin(round); }) block.begin(round);
      sum = add_round<Format>(block, input + step * chunks_of_round<Format>, sum);
    }
  }
  return sum;
}

template <class Format>
void multiply_digits(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                     const DigitBlock* input, float* products) {
  const std::int64_t blocks = columns / (chunk * Format::chunks);
  for (std::int64_t first = 0; first < row_count; first += interleaved_rows) {
    const std::int64_t count = smaller(interleaved_rows, row_count - first);
    const std::byte* row[interleaved_rows];
    for (int r = 0; r < interleaved_rows; ++r) row[r] = rows[first + smaller(r, count - 1)];  // the last one again
    const RowsOfFloats sums = multiply_eight<Format>(EightRows<Format>(row), blocks, input);
    __builtin_memcpy(products + first, &sums, static_cast<std::size_t>(count) * sizeof(float));
  }
}

template <class Format>
void multiply_interleaved(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                          const DigitBlock* input, float* products) {
  const std::int64_t blocks = columns / (chunk * Format::chunks);
  for (std::int64_t first = 0; first < row_count; first += interleaved_rows) {
    const RowsOfFloats sums = multiply_eight<Format>(EightInterleaved<Format>(rows[first]), blocks, input);
    __builtin_memcpy(products + first, &sums, sizeof sums);
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
