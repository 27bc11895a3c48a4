// Products of rows with inputs in integers (digits.hpp): eight rows at once, one in each 32 bits of a register
// (rows_in_lanes.hpp). Four neighbouring codes of a row are multiplied with four digits of the input by one
// instruction, and as the eight rows have the same columns, what other columns gave is added by another, in sixteen
// bits: floats take twice as many. AVX-512's VNNI multiplies and adds in one, in 32 bits.
#pragma once

#include "runtime/cpu/levels/products.hpp"
#include "runtime/cpu/levels/rows_in_lanes.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

/// Inputs that are multiplied with eight rows together, whose codes are then read once: as many as registers hold the
/// sums of. With sixteen registers two are slower than one after the other where codes are read as quickly as Q4_0's.
template <class Format>
constexpr int most_inputs = registers == 32 ? 4 : 2;
template <>
constexpr int most_inputs<Q4_0> = registers == 32 ? 4 : 1;

/// Some inputs from a chunk on, each as many blocks behind the one before.
struct DigitInputs {
  const DigitBlock& of(int input, int nth) const { return first[input * blocks + nth]; }
  DigitInputs behind(std::int64_t chunks) const { return {first + chunks, blocks}; }
  const DigitBlock* first;
  std::int64_t blocks;
};

/// The sums of products of codes with an input's digits: whole ones of the upper two digits, and of the lowest.
struct DigitSums {
  RowsOfWords upper, lower;
};

/// Four digits of an input, the same in all rows.
[[maybe_unused]] __m256i in_all_rows(const DigitBlock& input, int digit, int column) {
  return _mm256_set1_epi32(load<std::int32_t>(&input.digits[digit][4 * column]));
}

#ifdef MONOMORPH_WIDE_DIGITS

/// Adds those of the nth chunk's columns from `column` to `end`: an instruction multiplies and adds in 32 bits.
template <int nth, int column, int end, int inputs, class Rows>
void add_group(const Rows& rows, const DigitInputs& input, DigitSums (&sums)[inputs]) {
  __m256i of_digit[inputs][3];
  unrolled<inputs>([&]<int i>() {
    of_digit[i][0] = sums[i].lower;
    of_digit[i][1] = sums[i].upper;
    of_digit[i][2] = {};
  });
  unrolled<end - column>([&]<int n>() {
    const RowsOfWords codes = rows.template codes<nth, column + n>();
    unrolled<3 * inputs>([&]<int k>() {
      constexpr int i = k / 3, digit = k % 3;
      of_digit[i][digit] =
          _mm256_dpbusd_epi32(of_digit[i][digit], codes, in_all_rows(input.of(i, nth), digit, column + n));
    });
  });
  unrolled<inputs>([&]<int i>() {
    sums[i].lower = of_digit[i][0];
    sums[i].upper = _mm256_add_epi32(_mm256_slli_epi32(of_digit[i][2], 8), of_digit[i][1]);
  });
}

#else

/// Adds those of `count` columns of the nth chunk, which together fit into sixteen bits.
template <int nth, int column, int count, int inputs, class Rows>
void add_columns(const Rows& rows, const DigitInputs& input, DigitSums (&sums)[inputs]) {
  __m256i of_digit[inputs][3];
  unrolled<count>([&]<int n>() {
    const RowsOfWords codes = rows.template codes<nth, column + n>();
    unrolled<3 * inputs>([&]<int k>() {
      __m256i& sum = of_digit[k / 3][k % 3];
      const __m256i products = _mm256_maddubs_epi16(codes, in_all_rows(input.of(k / 3, nth), k % 3, column + n));
      sum = n == 0 ? products : _mm256_add_epi16(sum, products);
    });
  });
  const __m256i ones = _mm256_set1_epi16(1), base = _mm256_set1_epi16(256);
  unrolled<inputs>([&]<int i>() {
    const auto& [lowest, middle, highest] = of_digit[i];
    sums[i].lower = _mm256_add_epi32(sums[i].lower, _mm256_madd_epi16(lowest, ones));
    sums[i].upper = _mm256_add_epi32(
        sums[i].upper, _mm256_add_epi32(_mm256_madd_epi16(highest, base), _mm256_madd_epi16(middle, ones)));
  });
}

/// Adds those of the nth chunk's columns from `column` to `end`.
template <int nth, int column, int end, int inputs, class Rows>
void add_group(const Rows& rows, const DigitInputs& input, DigitSums (&sums)[inputs]) {
  constexpr int most = 32767 / (2 * 128 * Rows::greatest), left = end - column;
  static_assert(most >= 2);
  constexpr int together = most >= left ? left : most >= 4 ? 4 : 2;
  add_columns<nth, column, together>(rows, input, sums);
  if constexpr (together < left) add_group<nth, column + together, end>(rows, input, sums);
}

#endif

/// Adds the products of the nth chunk from a group of columns on.
template <int nth, int group, int inputs, class Rows>
void add_chunk(const Rows& rows, const DigitInputs& input, RowsOfFloats (&sums)[inputs]) {
  constexpr int columns = Rows::columns_of_scale;
  constexpr int part = columns == 8 ? 2 : group;
  DigitSums whole[inputs];  // zeros are taken off before anything is rounded: they may be far more than what is left
  unrolled<inputs>([&]<int i>() {
    const DigitBlock::Part& given = input.of(i, nth).parts[part];
    whole[i] = {_mm256_set1_epi32(-Rows::zero * given.upper), _mm256_set1_epi32(-Rows::zero * given.lower)};
  });
  add_group<nth, group * columns, (group + 1) * columns>(rows, input, whole);
  const RowsOfFloats scale = rows.template scale<nth, group>();
  unrolled<inputs>([&]<int i>() {
    const DigitBlock& given = input.of(i, nth);
    const RowsOfFloats products = add_scaled(floats_of(whole[i].upper), in_all_rows(256), floats_of(whole[i].lower));
    sums[i] = add_scaled(products, scale * in_all_rows(given.scale), sums[i]);
    if constexpr (requires { rows.template minimum<nth, group>(); }) {
      sums[i] = add_scaled(rows.template minimum<nth, group>(), in_all_rows(given.parts[part].total), sums[i]);
    }
  });
  if constexpr ((group + 1) * columns < 8) add_chunk<nth, group + 1>(rows, input, sums);
}

template <class Format>
constexpr int chunks_of_round = Format::chunks == 1 ? 1 : 2;

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
    constexpr int bytes_of_round = bytes / rounds_of_block<Format>;
    fetch<bytes_of_round, cache>(eight_ + round * bytes_of_round + ahead);
  }

 private:
  // Measured for rows that stand together: with VNNI it is faster to fetch far ahead and into the second cache, without
  // it nearby and into the first.
#ifdef MONOMORPH_WIDE_DIGITS
  static constexpr int ahead = 16384, cache = into_second_cache;
#else
  static constexpr int ahead = 4096, cache = into_first_cache;
#endif
  static constexpr int bytes = interleaved_rows * Format::block_bytes;
  const std::byte* eight_;
};

/// Eight rows with some inputs: the sums of the first `count` rows stand together, `apart` floats from input to input.
template <class Format, int inputs, class Eight>
__attribute__((noinline)) void multiply_inputs(const Eight& rows, std::int64_t blocks, const DigitInputs& input,
                                               std::int64_t count, std::int64_t apart, float* to) {
  RowsOfFloats sums[inputs] = {};
  for (std::int64_t nth = 0; nth < blocks; ++nth) {
    RowsInLanes<Format, typename Eight::Blocks> block(rows.block(nth));
    for (int round = 0; round < rounds_of_block<Format>; ++round) {
      const std::int64_t step = nth * rounds_of_block<Format> + round;
      rows.fetch_behind(step);
      if constexpr (requires { block.begin(round); }) block.begin(round);
      const DigitInputs here = input.behind(step * chunks_of_round<Format>);
      unrolled<chunks_of_round<Format>>([&]<int n>() { add_chunk<n, 0>(block, here, sums); });
    }
  }
  unrolled<inputs>(
      [&]<int i>() { __builtin_memcpy(to + i * apart, &sums[i], static_cast<std::size_t>(count) * sizeof(float)); });
}

/// Eight rows, the sums of the first `count` of which are wanted, with the inputs from `first_input` on: as many
/// together as there are, up to `inputs`.
template <class Format, int inputs = most_inputs<Format>, class Eight>
void multiply_eight(const Eight& rows, std::int64_t count, const DigitProducts& of, std::int64_t first_input,
                    float* to) {
  const std::int64_t chunks = of.columns / chunk;
  std::int64_t i = first_input;
  for (; i + inputs <= of.input_count; i += inputs) {
    multiply_inputs<Format, inputs>(rows, chunks / Format::chunks, {of.inputs + i * chunks, chunks}, count,
                                    of.row_count, to + i * of.row_count);
  }
  if constexpr (inputs > 1) {
    if (i < of.input_count) multiply_eight<Format, inputs / 2>(rows, count, of, i, to);
  }
}

template <class Format>
void multiply_digits(const DigitProducts& of) {
  for (std::int64_t first = 0; first < of.row_count; first += interleaved_rows) {
    float* const to = of.sums + first;
    if (first < of.interleaved) {
      multiply_eight<Format>(EightInterleaved<Format>(of.rows[first]), interleaved_rows, of, 0, to);
      continue;
    }
    const std::int64_t count = smaller(interleaved_rows, of.row_count - first);
    const std::byte* row[interleaved_rows];
    for (int r = 0; r < interleaved_rows; ++r) row[r] = of.rows[first + smaller(r, count - 1)];  // the last one again
    multiply_eight<Format>(EightRows<Format>(row), count, of, 0, to);
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
