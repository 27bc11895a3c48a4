// How blocks of eight rows are read for products by digits (digit_products.hpp): their codes, scales and minima, each
// row in 32 bits of a register.
#pragma once

#include "runtime/cpu/levels/eight_blocks.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

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
/// `greatest`, of eight bits where digits are wide. An element is its scale times the code less `zero`; to that its
/// minimum is added, where the format has minima. A scale serves a group of so many columns.
///
/// A block of 256 is multiplied in rounds of two chunks: code of all eight would be more than what a processor keeps of
/// decoded instructions. begin(round), where there is one, reads what the round needs. Of the nth chunk of the
/// round: codes<nth, column>(), of four elements from 4 * column on, scale<nth, group>() and minimum<nth, group>().
template <class Format, class Blocks>
struct RowsInLanes {};

template <int zero_code, int greatest_code, int scale_columns>
struct Coded {
  static constexpr int zero = zero_code, greatest = greatest_code, columns_of_scale = scale_columns;
};

/// Sixteen bytes of pairs at a place of a block: of a byte the low four bits are of the first half.
template <int at>
struct Pairs {
  template <class Blocks>
  explicit Pairs(const Blocks& block) : pairs(block.strip(at)) {}
  template <int, int column>
  RowsOfWords codes() const {
    return bits<column / 4 * 4, 4>(pairs.column[column % 4]);
  }
  Strip pairs;
};
/// And a fifth bit of each code, in four bytes.
template <int at, int bits_at>
struct PairsAndBits : Pairs<at> {
  template <class Blocks>
  explicit PairsAndBits(const Blocks& block) : Pairs<at>(block), fifth(block.words(bits_at)) {}
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
  template <class Blocks>
  explicit WithScale(const Blocks& block) : Codes(block), d(block.f16(0)) {}
  template <int, int>
  RowsOfFloats scale() const {
    return d;
  }
  RowsOfFloats d;
};
/// And a minimum behind it.
template <class Codes>
struct WithMinimum : Codes {
  template <class Blocks>
  explicit WithMinimum(const Blocks& block) : Codes(block), both(f16_pairs(block.words(0))) {}
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

template <class Blocks>
struct RowsInLanes<Q4_0, Blocks> : WithScale<Pairs<2>>, Coded<8, 15, 8> {
  using WithScale::WithScale;
};
template <class Blocks>
struct RowsInLanes<Q4_1, Blocks> : WithMinimum<Pairs<4>>, Coded<0, 15, 8> {
  using WithMinimum::WithMinimum;
};
template <class Blocks>
struct RowsInLanes<Q5_0, Blocks> : WithScale<PairsAndBits<6, 2>>, Coded<16, 31, 8> {
  using WithScale::WithScale;
};
template <class Blocks>
struct RowsInLanes<Q5_1, Blocks> : WithMinimum<PairsAndBits<8, 4>>, Coded<0, 31, 8> {
  using WithMinimum::WithMinimum;
};

/// Of codes of four bits their levels, plus what makes none of them negative.
template <int zero>
RowsOfWords leveled(const std::int8_t* levels, RowsOfWords codes) {
  // The compiler moves the sum out of the loop.
  const __m128i raised = _mm_add_epi8(load<__m128i>(levels), _mm_set1_epi8(static_cast<char>(zero)));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(raised), codes);
}
template <class Blocks>
struct RowsInLanes<Mxfp4, Blocks> : Pairs<1>, Coded<12, 24, 8> {
  explicit RowsInLanes(const Blocks& block) : Pairs(block), d(scale_of(block.bytes(0))) {}
  template <int, int column>
  RowsOfWords codes() const {
    return leveled<zero>(fp4_levels, Pairs::codes<0, column>());
  }
  template <int, int>
  RowsOfFloats scale() const {
    return d;
  }
  /// As Mxfp4::decode() has it.
  static RowsOfFloats scale_of(RowsOfWords exponent) {
    const RowsOfWords normal = _mm256_slli_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(1)), 23);
    const RowsOfWords subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), exponent);
    const RowsOfWords is_normal = _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(1));
    const RowsOfWords none = _mm256_cmpeq_epi32(exponent, _mm256_set1_epi32(255));
    return RowsOfFloats(either(_mm256_blendv_epi8(subnormal, normal, is_normal), none));
  }
  RowsOfFloats d;
};

/// Strips of a block, one behind another.
template <int count>
struct Strips {
  Strips() = default;
  template <class Blocks>
  Strips(const Blocks& block, int at) {
    for (int n = 0; n < count; ++n) of[n] = block.strip(at + 16 * n);
  }
  template <int column>
  RowsOfWords at() const {
    return of[column / 4].column[column % 4];
  }
  void move_down(int count_of_bits) {
    for (Strip& s : of) {
      for (RowsOfWords& column : s.column) column = _mm256_srli_epi32(column, count_of_bits);
    }
  }
  Strip of[count];
};

#ifdef MONOMORPH_WIDE_DIGITS
template <class Blocks>
struct RowsInLanes<Q8_0, Blocks> : Coded<128, 255, 8> {
  explicit RowsInLanes(const Blocks& block) : signed_codes(block, 2), d(block.f16(0)) {}
  template <int, int column>
  RowsOfWords codes() const {
    return _mm256_add_epi8(signed_codes.at<column>(), _mm256_set1_epi8(static_cast<char>(zero)));
  }
  template <int, int>
  RowsOfFloats scale() const {
    return d;
  }
  Strips<2> signed_codes;
  RowsOfFloats d;
};
template <class Blocks>
struct RowsInLanes<Iq4Nl, Blocks> : WithScale<Pairs<2>>, Coded<128, 255, 8> {
  using WithScale::WithScale;
  template <int, int column>
  RowsOfWords codes() const {
    return leveled<zero>(iq4_levels, Pairs::codes<0, column>());
  }
};
/// Scales of six bits: the high two of each stand in the upper half of the first word, the low four in the second.
template <class Blocks>
struct RowsInLanes<Iq4Xs, Blocks> : Coded<128, 255, 8> {
  explicit RowsInLanes(const Blocks& block)
      : block(block),
        high(_mm256_srli_epi32(block.words(0), 16)),
        low(block.words(4)),
        d(f16_pairs(block.words(0)).low) {}
  void begin(int round) {
    pairs = Strips<2>(block, 8 + 32 * round);
    if (round > 0) {
      high = _mm256_srli_epi32(high, 4);
      low = _mm256_srli_epi32(low, 8);
    }
  }
  template <int nth, int column>
  RowsOfWords codes() const {
    return leveled<zero>(iq4_levels, bits<column / 4 * 4, 4>(pairs.at<4 * nth + column % 4>()));
  }
  template <int nth, int>
  RowsOfFloats scale() const {
    const RowsOfWords low_four = _mm256_and_si256(_mm256_srli_epi32(low, 4 * nth), _mm256_set1_epi32(15));
    const RowsOfWords high_two = _mm256_and_si256(_mm256_slli_epi32(high, 4 - 2 * nth), _mm256_set1_epi32(0x30));
    return floats_of(_mm256_sub_epi32(either(low_four, high_two), _mm256_set1_epi32(32))) * d;
  }
  Blocks block;
  RowsOfWords high, low;
  RowsOfFloats d;
  Strips<2> pairs;
};
#endif

/// Pairs of codes behind scales and minima of six bits, which stand behind the two f16 that they are multiplied with.
template <class Blocks>
struct PairsAndScales {
  PairsAndScales(const Blocks& block, int pairs_at) : block(block), pairs_at(pairs_at) {
    const Strip words = block.strip(0);
    both = f16_pairs(words.column[0]);
    // Those of the last four groups have their low bits in the last word, and their high ones above those of the first.
    const auto place = [&](RowsOfWords own, RowsOfWords low, RowsOfWords* of_round) {
      of_round[0] = bits<0, 6>(own);
      of_round[2] = either(low, bits<6, 2, 4>(own));
      of_round[1] = _mm256_srli_epi32(of_round[0], 16);
      of_round[3] = _mm256_srli_epi32(of_round[2], 16);
    };
    place(words.column[1], bits<0, 4>(words.column[3]), scales);
    place(words.column[2], bits<4, 4>(words.column[3]), minima);
  }
  void begin(int round) {
    pairs = Strips<2>(block, pairs_at + 32 * round);
    round_scales = scales[round];
    round_minima = minima[round];
  }
  template <int nth, int column>
  RowsOfWords codes() const {
    return bits<4 * nth, 4>(pairs.at<column>());
  }
  template <int nth, int>
  RowsOfFloats scale() const {
    return floats_of(byte_bits<nth, 0, 8>(round_scales)) * both.low;
  }
  template <int nth, int>
  RowsOfFloats minimum() const {
    return floats_of(byte_bits<nth, 0, 8>(round_minima)) * -both.high;
  }
  Blocks block;
  int pairs_at;
  F16Pairs both;
  RowsOfWords scales[4], minima[4], round_scales, round_minima;
  Strips<2> pairs;
};
template <class Blocks>
struct RowsInLanes<Q4K, Blocks> : PairsAndScales<Blocks>, Coded<0, 15, 8> {
  explicit RowsInLanes(const Blocks& block) : PairsAndScales<Blocks>(block, 16) {}
};
template <class Blocks>
struct RowsInLanes<Q5K, Blocks> : PairsAndScales<Blocks>, Coded<0, 31, 8> {
  explicit RowsInLanes(const Blocks& block) : PairsAndScales<Blocks>(block, 48), fifth(block, 16) {}
  void begin(int round) {
    PairsAndScales<Blocks>::begin(round);
    if (round > 0) fifth.move_down(2);
  }
  template <int nth, int column>
  RowsOfWords codes() const {
    return either(PairsAndScales<Blocks>::template codes<nth, column>(), bits<nth, 1, 4>(fifth.at<column>()));
  }
  Strips<2> fifth;
};

/// Scales of halves of chunks, a byte each: of a round four, which are a column of a strip.
struct ScalesOfHalves {
  template <class Blocks>
  ScalesOfHalves(const Blocks& block, int at) : scales(block.strip(at)) {}
  void begin(int round) { of_round = scales.column[round]; }
  template <int nth, int group>
  RowsOfWords byte() const {
    return byte_bits<2 * nth + group, 0, 8>(of_round);
  }
  Strip scales;
  RowsOfWords of_round;
};
template <class Blocks>
struct RowsInLanes<Q2K, Blocks> : Coded<0, 3, 4> {
  explicit RowsInLanes(const Blocks& block) : block(block), scales(block, 0), both(f16_pairs(block.words(80))) {}
  void begin(int round) {
    scales.begin(round);
    if (round % 2 == 0) {
      quads = Strips<2>(block, 16 + 16 * round);
    } else {
      quads.move_down(4);
    }
  }
  template <int nth, int column>
  RowsOfWords codes() const {
    return bits<2 * nth, 2>(quads.at<column>());
  }
  template <int nth, int group>
  RowsOfFloats scale() const {
    return floats_of(bits<0, 4>(scales.byte<nth, group>())) * both.low;
  }
  template <int nth, int group>
  RowsOfFloats minimum() const {
    return floats_of(bits<4, 4>(scales.byte<nth, group>())) * -both.high;
  }
  Blocks block;
  ScalesOfHalves scales;
  F16Pairs both;
  Strips<2> quads;
};
template <class Blocks>
struct RowsInLanes<Q6K, Blocks> : Coded<32, 63, 4> {
  explicit RowsInLanes(const Blocks& block) : block(block), scales(block, 192), d(block.f16(208)) {}
  void begin(int round) {
    scales.begin(round);
    if (round % 2 == 0) {
      low = Strips<4>(block, 32 * round);
      high = Strips<2>(block, 128 + 16 * round);
    } else {
      low.move_down(4);
      high.move_down(4);
    }
  }
  template <int nth, int column>
  RowsOfWords codes() const {
    return either(bits<0, 4>(low.at<8 * nth + column>()), bits<2 * nth, 2, 4>(high.at<column>()));
  }
  template <int nth, int group>
  RowsOfFloats scale() const {
    const RowsOfWords highest = _mm256_slli_epi32(scales.byte<nth, group>(), 24);
    return floats_of(_mm256_srai_epi32(highest, 24)) * d;
  }
  Blocks block;
  ScalesOfHalves scales;
  RowsOfFloats d;
  Strips<4> low;
  Strips<2> high;
};
/// Scales of six bits: the low four of the first eight, and of the last eight above them, and then the high two of all.
template <class Blocks>
struct RowsInLanes<Q3K, Blocks> : Coded<4, 7, 4> {
  explicit RowsInLanes(const Blocks& block) : block(block), third(block, 0), d(block.f16(108)) {
    const RowsOfWords high = block.words(104);
    for (int n = 0; n < 2; ++n) {
      const RowsOfWords low = block.words(96 + 4 * n);
      scales[n] = bits<0, 4>(low);
      scales[2 + n] = bits<4, 4>(low);
    }
    scales[0] = either(scales[0], bits<0, 2, 4>(high));
    scales[1] = either(scales[1], bits<2, 2, 4>(high));
    scales[2] = either(scales[2], bits<4, 2, 4>(high));
    scales[3] = either(scales[3], bits<6, 2, 4>(high));
  }
  void begin(int round) {
    scales_of_round = scales[round];
    if (round % 2 == 0) {
      quads = Strips<2>(block, 32 + 16 * round);
    } else {
      quads.move_down(4);
    }
    if (round > 0) third.move_down(2);
  }
  template <int nth, int column>
  RowsOfWords codes() const {
    return either(bits<2 * nth, 2>(quads.at<column>()), bits<nth, 1, 2>(third.at<column>()));
  }
  template <int nth, int group>
  RowsOfFloats scale() const {
    const RowsOfWords six_bits = byte_bits<2 * nth + group, 0, 8>(scales_of_round);
    return floats_of(_mm256_sub_epi32(six_bits, _mm256_set1_epi32(32))) * d;
  }
  Blocks block;
  Strips<2> third, quads;
  RowsOfWords scales[4], scales_of_round;
  RowsOfFloats d;
};

}  // namespace
}  // namespace monomorph::cpu

#endif
