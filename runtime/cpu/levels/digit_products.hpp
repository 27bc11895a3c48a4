// Products of rows with one input in integers (digits.hpp): eight rows at once, one in each 32 bits of a register. Four
// neighbouring codes of a row are multiplied with four digits of the input by one instruction, and as the eight rows
// have the same columns, what other columns gave is added in sixteen bits by another. Floats take twice as many.
#pragma once

#include "runtime/cpu/levels/products.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

constexpr int digit_rows = 8;

/// Of each row 32 bits.
typedef __m256i RowsOfWords;
typedef EightFloats RowsOfFloats;

[[maybe_unused]] RowsOfFloats floats_of(RowsOfWords words) { return RowsOfFloats(_mm256_cvtepi32_ps(words)); }
[[maybe_unused]] RowsOfFloats in_all_rows(float value) { return value - RowsOfFloats{}; }
[[maybe_unused]] RowsOfFloats add_scaled(RowsOfFloats a, RowsOfFloats b, RowsOfFloats c) {
  return _mm256_fmadd_ps(a, b, c);
}

/// The blocks of eight rows that have the same columns.
struct BlocksOfRows {
  const std::byte* const* rows;
  std::int64_t at;
  const std::byte* of(int row) const { return rows[row] + at; }
};

/// Of each row sixteen bytes: a column has four of each.
struct Strip {
  RowsOfWords column[4];
};
[[maybe_unused]] Strip strip(const BlocksOfRows& block, int at) {
  RowsOfWords pair[4];
  for (int r = 0; r < 4; ++r) {
    pair[r] = _mm256_inserti128_si256(_mm256_castsi128_si256(load<__m128i>(block.of(r) + at)),
                                      load<__m128i>(block.of(r + 4) + at), 1);
  }
  const RowsOfWords a = _mm256_unpacklo_epi32(pair[0], pair[1]), b = _mm256_unpacklo_epi32(pair[2], pair[3]);
  const RowsOfWords c = _mm256_unpackhi_epi32(pair[0], pair[1]), d = _mm256_unpackhi_epi32(pair[2], pair[3]);
  return {{_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), _mm256_unpacklo_epi64(c, d),
           _mm256_unpackhi_epi64(c, d)}};
}
/// Of each row the four bytes at a place.
[[maybe_unused]] RowsOfWords words(const BlocksOfRows& block, int at) {
  const auto of = [&](int r) { return load<std::int32_t>(block.of(r) + at); };
  return _mm256_setr_epi32(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7));
}
/// The f16 that stand in the low halves of words, and those in the high ones.
struct F16Pairs {
  RowsOfFloats low, high;
};
[[maybe_unused]] F16Pairs f16_pairs(RowsOfWords of) {
  const __m256i both = _mm256_permute4x64_epi64(
      _mm256_packus_epi32(_mm256_and_si256(of, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(of, 16)), 0xd8);
  return {_mm256_cvtph_ps(_mm256_castsi256_si128(both)), _mm256_cvtph_ps(_mm256_extracti128_si256(both, 1))};
}

/// Of each byte `count` bits from `first` on, moved to `to`.
template <int first, int count, int to = 0>
RowsOfWords bits(RowsOfWords of) {
  constexpr int shift = first - to;
  if constexpr (shift > 0) of = _mm256_srli_epi32(of, shift);
  if constexpr (shift < 0) of = _mm256_slli_epi32(of, -shift);
  return _mm256_and_si256(of, _mm256_set1_epi8(static_cast<char>(((1 << count) - 1) << to)));
}
[[maybe_unused]] RowsOfWords either(RowsOfWords a, RowsOfWords b) { return _mm256_or_si256(a, b); }
/// The nth bytes of words, `count` bits of each from `first` on.
template <int nth, int first, int count>
RowsOfWords byte_bits(RowsOfWords of) {
  return _mm256_and_si256(_mm256_srli_epi32(of, 8 * nth + first), _mm256_set1_epi32((1 << count) - 1));
}

/// Blocks of eight rows in lanes, of the formats whose products are faster so: codes that are not negative and at most
/// `greatest`. An element is its scale times the code less `zero`; to that its minimum is added, where the format has
/// minima. A scale serves a group of so many columns.
///
/// codes<nth, column>(): those of four elements from 4 * column on. scale<nth, group>(), minimum<nth, group>().
/// begin<nth>(), where there is one: reads what this chunk and those behind it share.
template <class Format>
struct RowsInLanes {};

template <int zero_code, int greatest_code, int scale_columns>
struct Coded {
  static constexpr int zero = zero_code, greatest = greatest_code, columns_of_scale = scale_columns;
};

/// Sixteen bytes of pairs at a place of a block: of a byte the low four bits are of the first half.
template <int at>
struct Pairs {
  explicit Pairs(const BlocksOfRows& block) : pairs(strip(block, at)) {}
  template <int, int column>
  RowsOfWords codes() const {
    return bits<column / 4 * 4, 4>(pairs.column[column % 4]);
  }
  Strip pairs;
};
/// And a fifth bit of each code, in four bytes.
template <int at, int bits_at>
struct PairsAndBits : Pairs<at> {
  explicit PairsAndBits(const BlocksOfRows& block) : Pairs<at>(block), fifth(words(block, bits_at)) {}
  template <int, int column>
  RowsOfWords codes() const {
    // The byte with the bits of two columns comes to stand in all four; each keeps its own, one of the upper four.
    constexpr int of_row = column / 2 * 0x01010101;
    const __m256i places = _mm256_setr_epi32(of_row, of_row + 0x04040404, of_row + 0x08080808, of_row + 0x0c0c0c0c,
                                             of_row, of_row + 0x04040404, of_row + 0x08080808, of_row + 0x0c0c0c0c);
    __m256i spread_bits = _mm256_shuffle_epi8(fifth, places);
    if constexpr (column % 2 == 0) spread_bits = _mm256_slli_epi32(spread_bits, 4);
    const __m256i own = _mm256_and_si256(spread_bits, _mm256_set1_epi32(static_cast<int>(0x80402010)));
    return either(Pairs<at>::template codes<0, column>(), _mm256_min_epu8(own, _mm256_set1_epi8(16)));
  }
  RowsOfWords fifth;
};
/// A scale that begins the block.
template <class Codes>
struct WithScale : Codes {
  explicit WithScale(const BlocksOfRows& block) : Codes(block), d(f16_pairs(words(block, 0)).low) {}
  template <int, int>
  RowsOfFloats scale() const {
    return d;
  }
  RowsOfFloats d;
};
/// And a minimum behind it.
template <class Codes>
struct WithMinimum : Codes {
  explicit WithMinimum(const BlocksOfRows& block) : Codes(block), both(f16_pairs(words(block, 0))) {}
  template <int, int>
  RowsOfFloats scale() const {
    return both.low;
  }
  template <int, int>
  RowsOfFloats minimum() const {
    return both.high;
  }
  F16Pairs both;
};

template <>
struct RowsInLanes<Q4_0> : WithScale<Pairs<2>>, Coded<8, 15, 8> {
  using WithScale::WithScale;
};
template <>
struct RowsInLanes<Q4_1> : WithMinimum<Pairs<4>>, Coded<0, 15, 8> {
  using WithMinimum::WithMinimum;
};
template <>
struct RowsInLanes<Q5_0> : WithScale<PairsAndBits<6, 2>>, Coded<16, 31, 8> {
  using WithScale::WithScale;
};
template <>
struct RowsInLanes<Q5_1> : WithMinimum<PairsAndBits<8, 4>>, Coded<0, 31, 8> {
  using WithMinimum::WithMinimum;
};

template <>
struct RowsInLanes<Mxfp4> : Pairs<1>, Coded<12, 24, 8> {
  explicit RowsInLanes(const BlocksOfRows& block) : Pairs(block), d(scale_of(words(block, 0))) {}
  template <int, int column>
  RowsOfWords codes() const {
    // Twice the levels of FP4 and `zero`.
    constexpr std::int8_t levels[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load<__m128i>(levels)), Pairs::codes<0, column>());
  }
  template <int, int>
  RowsOfFloats scale() const {
    return d;
  }
  /// As Mxfp4::decode() has it.
  static RowsOfFloats scale_of(RowsOfWords first_bytes) {
    const RowsOfWords exponent = byte_bits<0, 0, 8>(first_bytes);
    const RowsOfWords normal = _mm256_slli_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(1)), 23);
    const RowsOfWords subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), exponent);
    const RowsOfWords is_normal = _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(1));
    const RowsOfWords none = _mm256_cmpeq_epi32(exponent, _mm256_set1_epi32(255));
    return RowsOfFloats(either(_mm256_blendv_epi8(subnormal, normal, is_normal), none));
  }
  RowsOfFloats d;
};

/// Some strips of a block, one behind another.
template <int count>
struct Strips {
  Strips() = default;
  Strips(const BlocksOfRows& block, int at) {
    for (int n = 0; n < count; ++n) of[n] = strip(block, at + 16 * n);
  }
  template <int column>
  RowsOfWords at() const {
    return of[column / 4].column[column % 4];
  }
  Strip of[count];
};

/// Scales and minima of six bits, behind the two f16 that both are multiples of.
struct ScalesOfSixBitsInLanes {
  explicit ScalesOfSixBitsInLanes(const BlocksOfRows& block)
      : words(strip(block, 0)), both(f16_pairs(words.column[0])) {}
  template <int nth, int>
  RowsOfFloats scale() const {
    return floats_of(six_bits<nth>(words.column[1])) * both.low;
  }
  template <int nth, int>
  RowsOfFloats minimum() const {
    return floats_of(six_bits<nth, 4>(words.column[2])) * -both.high;
  }
  /// Those of the last four groups have their low bits in the last word, and their high ones above those of the first.
  template <int nth, int low = 0>
  RowsOfWords six_bits(RowsOfWords own) const {
    if constexpr (nth < 4) return byte_bits<nth, 0, 6>(own);
    return either(byte_bits<nth % 4, low, 4>(words.column[3]), _mm256_slli_epi32(byte_bits<nth % 4, 6, 2>(own), 4));
  }
  Strip words;
  F16Pairs both;
};
template <>
struct RowsInLanes<Q4K> : ScalesOfSixBitsInLanes, Coded<0, 15, 8> {
  explicit RowsInLanes(const BlocksOfRows& block) : ScalesOfSixBitsInLanes(block), block(block) {}
  template <int nth>
  void begin() {
    if constexpr (nth % 2 == 0) pairs = Strips<2>(block, 16 + 16 * nth);
  }
  template <int nth, int column>
  RowsOfWords codes() const {
    return bits<nth % 2 * 4, 4>(pairs.at<column>());
  }
  BlocksOfRows block;
  Strips<2> pairs;
};
template <>
struct RowsInLanes<Q5K> : ScalesOfSixBitsInLanes, Coded<0, 31, 8> {
  explicit RowsInLanes(const BlocksOfRows& block) : ScalesOfSixBitsInLanes(block), fifth(block, 16), pairs(block, 48) {}
  template <int nth, int column>
  RowsOfWords codes() const {
    return either(bits<nth % 2 * 4, 4>(pairs.at<nth / 2 * 8 + column>()), bits<nth, 1, 4>(fifth.at<column>()));
  }
  Strips<2> fifth;
  Strips<8> pairs;
};
template <>
struct RowsInLanes<Q2K> : Coded<0, 3, 4> {
  explicit RowsInLanes(const BlocksOfRows& block)
      : scales(strip(block, 0)), quads(block, 16), both(f16_pairs(words(block, 80))) {}
  template <int nth, int column>
  RowsOfWords codes() const {
    return bits<nth % 4 * 2, 2>(quads.at<nth / 4 * 8 + column>());
  }
  template <int nth, int group>
  RowsOfFloats scale() const {
    return floats_of(byte_bits<nth % 2 * 2 + group, 0, 4>(scales.column[nth / 2])) * both.low;
  }
  template <int nth, int group>
  RowsOfFloats minimum() const {
    return floats_of(byte_bits<nth % 2 * 2 + group, 4, 4>(scales.column[nth / 2])) * -both.high;
  }
  Strip scales;
  Strips<4> quads;
  F16Pairs both;
};
template <>
struct RowsInLanes<Q3K> : Coded<4, 7, 4> {
  explicit RowsInLanes(const BlocksOfRows& block)
      : third(block, 0),
        quads(block, 32),
        low{words(block, 96), words(block, 100)},
        high(words(block, 104)),
        d(f16_pairs(words(block, 106)).high) {}
  template <int nth, int column>
  RowsOfWords codes() const {
    return either(bits<nth % 4 * 2, 2>(quads.at<nth / 4 * 8 + column>()), bits<nth, 1, 2>(third.at<column>()));
  }
  template <int nth, int group>
  RowsOfFloats scale() const {
    constexpr int n = 2 * nth + group;
    const RowsOfWords six_bits = either(byte_bits<n % 4, n / 8 * 4, 4>(low[n / 4 % 2]),
                                        _mm256_slli_epi32(byte_bits<n % 4, n / 4 * 2, 2>(high), 4));
    return floats_of(_mm256_sub_epi32(six_bits, _mm256_set1_epi32(32))) * d;
  }
  Strips<2> third;
  Strips<4> quads;
  RowsOfWords low[2], high;
  RowsOfFloats d;
};
template <>
struct RowsInLanes<Q6K> : Coded<32, 63, 4> {
  explicit RowsInLanes(const BlocksOfRows& block)
      : low(block, 0), high(block, 128), scales(strip(block, 192)), d(f16_pairs(words(block, 206)).high) {}
  template <int nth, int column>
  RowsOfWords codes() const {
    constexpr int half = nth / 4, quarter = nth % 4;
    return either(bits<quarter / 2 * 4, 4>(low.at<half * 16 + quarter % 2 * 8 + column>()),
                  bits<quarter * 2, 2, 4>(high.at<half * 8 + column>()));
  }
  template <int nth, int group>
  RowsOfFloats scale() const {
    const RowsOfWords highest = _mm256_slli_epi32(scales.column[nth / 2], 24 - 8 * (nth % 2 * 2 + group));
    return floats_of(_mm256_srai_epi32(highest, 24)) * d;
  }
  Strips<8> low;
  Strips<4> high;
  Strip scales;
  RowsOfFloats d;
};

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
using FetchDigitRows = FetchBehind<digit_rows * Format::block_bytes / Format::chunks>;

/// Adds the products of a block from a chunk on, `first` the row's chunks before the block.
template <class Format, int nth = 0>
RowsOfFloats add_chunks(RowsInLanes<Format>& rows, const DigitBlock* input, RowsOfFloats sum,
                        const FetchDigitRows<Format>& fetch, std::int64_t first) {
  fetch.at_step(first + nth);
  if constexpr (requires { rows.template begin<nth>(); }) rows.template begin<nth>();
  sum = add_chunk<nth, 0>(rows, input[first + nth], sum);
  if constexpr (nth + 1 < Format::chunks) return add_chunks<Format, nth + 1>(rows, input, sum, fetch, first);
  return sum;
}

template <class Format>
void multiply_digits(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                     const DigitBlock* input, float* products) {
  for (std::int64_t first = 0; first < row_count; first += digit_rows) {
    const std::int64_t count = smaller(digit_rows, row_count - first);
    const std::byte* row[digit_rows];
    for (int r = 0; r < digit_rows; ++r) row[r] = rows[first + smaller(r, count - 1)];  // the last one again
    const FetchDigitRows<Format> fetch(row, digit_rows);
    RowsOfFloats sum = {};
    for (std::int64_t block = 0; block < columns / (chunk * Format::chunks); ++block) {
      RowsInLanes<Format> blocks({row, block * Format::block_bytes});
      sum = add_chunks<Format>(blocks, input, sum, fetch, block * Format::chunks);
    }
    __builtin_memcpy(products + first, &sum, static_cast<std::size_t>(count) * sizeof(float));
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
