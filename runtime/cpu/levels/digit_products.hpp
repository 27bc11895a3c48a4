// Products of rows with one input in integers (digits.hpp): eight rows at once, one in each 32 bits of a register
// (rows_in_lanes.hpp). Four neighbouring codes of a row are multiplied with four digits of the input by one
// instruction, and as the eight rows have the same columns, what other columns gave is added in sixteen bits by
// another. Floats take twice as many.
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

/// Adds those of `count` columns, which together fit into sixteen bits.
template <int nth, int column, int count, class Rows>
void add_columns(const Rows& rows, const DigitBlock& input, DigitSums& sums) {
  __m256i of_digit[3];
  const auto add = [&]<int n>(auto&& self) {
    const RowsOfWords codes = rows.template codes<nth, column + n>();
    for (int digit = 0; digit < 3; ++digit) {
      const __m256i given = _mm256_set1_epi32(load<std::int32_t>(&input.digits[digit][4 * (column + n)]));
      const __m256i products = _mm256_maddubs_epi16(codes, given);
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
template <class Format, int nth = 0>
RowsOfFloats add_round(const RowsInLanes<Format>& rows, const DigitBlock* input, RowsOfFloats sum) {
  sum = add_chunk<nth, 0>(rows, input[nth], sum);
  if constexpr (nth + 1 < chunks_of_round<Format>) return add_round<Format, nth + 1>(rows, input, sum);
  return sum;
}

template <class Format>
void multiply_digits(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                     const DigitBlock* input, float* products) {
  constexpr int rounds = Format::chunks / chunks_of_round<Format>;
  const std::int64_t block_count = columns / (chunk * Format::chunks);
  for (std::int64_t first = 0; first < row_count; first += digit_rows) {
    const std::int64_t count = smaller(digit_rows, row_count - first);
    const std::byte* row[digit_rows];
    for (int r = 0; r < digit_rows; ++r) row[r] = rows[first + smaller(r, count - 1)];  // the last one again
    const FetchBehind<digit_rows, digit_rows * Format::block_bytes / rounds> fetch(row,
                                                                                   block_count * Format::block_bytes);
    RowsOfFloats sum = {};
    for (std::int64_t block = 0; block < block_count; ++block) {
      RowsInLanes<Format> blocks({row, block * Format::block_bytes});
      for (int round = 0; round < rounds; ++round) {
        const std::int64_t step = block * rounds + round;
        fetch.at_step(step / digit_rows, static_cast<int>(step % digit_rows));
        if constexpr (requires { blocks.begin(round); }) blocks.begin(round);
        sum = add_round<Format>(blocks, input + step * chunks_of_round<Format>, sum);
      }
    }
    __builtin_memcpy(products + first, &sum, static_cast<std::size_t>(count) * sizeof(float));
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
