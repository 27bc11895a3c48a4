// Products of codes of two to six bits with one input in integers (digits.hpp). AVX2 widens eight codes by two
// instructions and multiplies them by two more; of bytes it multiplies and adds 32 by two. The sum of four products is
// exact in 32 bits.
//
// AVX-512 widens twice as many at once: there floats are as fast, and they need no cutting.
#pragma once

#include "runtime/cpu/levels/products.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

/// Of 32 codes: the products' sums, four elements each.
[[maybe_unused]] __m256i products_of(__m256i codes, const DigitBlock& block) {
  const auto by = [&](int digit) {
    return _mm256_maddubs_epi16(codes, _mm256_load_si256(reinterpret_cast<const __m256i*>(block.digits[digit])));
  };
  const __m256i ones = _mm256_set1_epi16(1), base = _mm256_set1_epi16(256);
  const __m256i upper = _mm256_add_epi32(_mm256_madd_epi16(by(2), base), _mm256_madd_epi16(by(1), ones));
  return _mm256_add_epi32(_mm256_slli_epi32(upper, 8), _mm256_madd_epi16(by(0), ones));
}

constexpr int digit_rows = 4;

/// Sixteen bytes of pairs as 32 codes of four bits.
[[maybe_unused]] __m256i codes_of_pairs(const std::byte* pairs) {
  const __m256i shifts = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);
  return _mm256_and_si256(_mm256_srlv_epi32(_mm256_broadcastsi128_si256(load<__m128i>(pairs)), shifts),
                          _mm256_set1_epi8(15));
}
/// The fifth bits of 32 codes, which stand in four bytes, a bit each.
[[maybe_unused]] __m256i fifth_bits_of_codes(const std::byte* bits) {
  const __m256i bytes = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i own_bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m256i spread_bits = _mm256_shuffle_epi8(_mm256_set1_epi32(load<std::int32_t>(bits)), bytes);
  return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(spread_bits, own_bit), own_bit), _mm256_set1_epi8(16));
}
/// 32 bytes, moved by `shift` bits to the left, of which `mask` is left.
[[maybe_unused]] __m256i bits_of(const std::byte* bytes, int shift, int mask) {
  const __m256i all = load<__m256i>(bytes);
  const __m256i moved = shift < 0 ? _mm256_srli_epi16(all, -shift) : _mm256_slli_epi16(all, shift);
  return _mm256_and_si256(moved, _mm256_set1_epi8(static_cast<char>(mask)));
}

/// The codes of a format, where products with them are faster so: of the nth chunk of a block, 32 bytes that are not
/// negative. An element is its scale times the code less `zero`. To that its minimum is added, where the format has
/// minima: `has_minimum` says it of blocks with one scale.
template <class Format>
struct CodesOf {};

template <int from, bool fifth, int less>
struct CodesOfBlock {
  static constexpr int zero = less;
  static __m256i of(const std::byte* block, int) {
    const __m256i codes = codes_of_pairs(block + from);
    return fifth ? _mm256_or_si256(codes, fifth_bits_of_codes(block + from - 4)) : codes;
  }
};
template <>
struct CodesOf<Q4_0> : CodesOfBlock<2, false, 8> {
  static constexpr bool has_minimum = false;
};
template <>
struct CodesOf<Q4_1> : CodesOfBlock<4, false, 0> {
  static constexpr bool has_minimum = true;
};
template <>
struct CodesOf<Q5_0> : CodesOfBlock<6, true, 16> {
  static constexpr bool has_minimum = false;
};
template <>
struct CodesOf<Q5_1> : CodesOfBlock<8, true, 0> {
  static constexpr bool has_minimum = true;
};

template <>
struct CodesOf<Q4K> {
  static constexpr int zero = 0;
  static __m256i of(const std::byte* block, int nth) {
    return bits_of(block + 16 + 32 * (nth / 2), -4 * (nth % 2), 15);
  }
};
template <>
struct CodesOf<Q5K> {
  static constexpr int zero = 0;
  static __m256i of(const std::byte* block, int nth) {
    return _mm256_or_si256(bits_of(block + 48 + 32 * (nth / 2), -4 * (nth % 2), 15), bits_of(block + 16, 4 - nth, 16));
  }
};
template <>
struct CodesOf<Q2K> {
  static constexpr int zero = 0;
  static __m256i of(const std::byte* block, int nth) { return bits_of(block + 16 + 32 * (nth / 4), -2 * (nth % 4), 3); }
};
template <>
struct CodesOf<Q3K> {
  static constexpr int zero = 4;
  static __m256i of(const std::byte* block, int nth) {
    return _mm256_or_si256(bits_of(block + 32 + 32 * (nth / 4), -2 * (nth % 4), 3), bits_of(block, 2 - nth, 4));
  }
};
template <>
struct CodesOf<Q6K> {
  static constexpr int zero = 32;
  static __m256i of(const std::byte* block, int nth) {
    const int half = nth / 4, quarter = nth % 4;
    return _mm256_or_si256(bits_of(block + 64 * half + 32 * (quarter % 2), -4 * (quarter / 2), 15),
                           bits_of(block + 128 + 32 * half, 4 - 2 * quarter, 48));
  }
};

/// The products of a chunk's codes, less those of zeros, as floats without a scale.
template <class Codes>
Floats whole_products(const std::byte* block, int nth, const DigitBlock& input) {
  __m256i sum = products_of(Codes::of(block, nth), input);
  if constexpr (Codes::zero > 0) {
    constexpr int log = __builtin_ctz(Codes::zero);
    static_assert(Codes::zero == 1 << log);
    sum =
        _mm256_sub_epi32(sum, _mm256_slli_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(input.fours)), log));
  }
  return _mm256_cvtepi32_ps(sum);
}

/// The input's part that a block is multiplied with.
struct DigitsOfBlock {
  const DigitBlock* blocks;
  const float* scales;
  const float* totals;
};

/// Of a block with one scale.
template <class Format>
Floats add_chunk(const std::byte* block, const DigitsOfBlock& input, Floats sum) {
  using Codes = CodesOf<Format>;
  const Floats scale = spread(load_scale(block)) * spread(*input.scales);
  sum = multiply_add(whole_products<Codes>(block, 0, *input.blocks), scale, sum);
  if constexpr (!Codes::has_minimum) return sum;
  return multiply_add(spread(load_scale(block + 2)), spread(*input.totals / lanes), sum);  // a share in each lane
}

/// Of a block whose groups are its chunks.
template <class Format>
Floats add_groups_of_32(const std::byte* block, const typename Format::Scales& scales, const DigitsOfBlock& input,
                        Floats sum) {
  if constexpr (requires { scales.minimum; }) {
    sum = multiply_add(load<Floats>(scales.minimum), load<Floats>(input.totals), sum);
  }
  float scale[8];
  store(scale, load<Floats>(scales.scale) * load<Floats>(input.scales));
  for (int nth = 0; nth < 8; ++nth) {
    sum = multiply_add(whole_products<CodesOf<Format>>(block, nth, input.blocks[nth]), spread(scale[nth]), sum);
  }
  return sum;
}

/// Of a block whose groups are halves of its chunks.
template <class Format>
Floats add_groups_of_16(const std::byte* block, const typename Format::Scales& scales, const DigitsOfBlock& input,
                        Floats sum) {
  for (int nth = 0; nth < 8; ++nth) {
    const auto of_halves = [&](const float* of) {
      return Floats(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_broadcast_ss(of + 2 * nth)),
                                         _mm_broadcast_ss(of + 2 * nth + 1), 1));
    };
    Floats products = whole_products<CodesOf<Format>>(block, nth, input.blocks[nth]) * of_halves(scales.scale);
    if constexpr (requires { scales.minimum; }) {
      const __m256i fours = _mm256_load_si256(reinterpret_cast<const __m256i*>(input.blocks[nth].fours));
      products = multiply_add(_mm256_cvtepi32_ps(fours), of_halves(scales.minimum), products);
    }
    sum = multiply_add(products, spread(input.scales[nth]), sum);
  }
  return sum;
}

/// Adds the products of rows with the input to their partial sums.
template <class Format, int rows>
void add_digit_products(const std::byte* const* row, std::int64_t columns, const Digits& input, Floats* sums) {
  const std::int64_t ahead = bytes_ahead<rows>(row);
  for (std::int64_t b = 0; b < columns / (chunk * Format::chunks); ++b) {
    const std::int64_t first = b * Format::chunks;
    const DigitsOfBlock given{input.blocks + first, input.scales + first, input.totals + first};
    for (int r = 0; r < rows; ++r) {
      const std::byte* const block = row[r] + b * Format::block_bytes;
      for (int line = 0; line < Format::block_bytes; line += 64) __builtin_prefetch(block + line + ahead);
      if constexpr (Format::chunks == 1) {
        sums[r] = add_chunk<Format>(block, given, sums[r]);
      } else if constexpr (Format::groups == 8) {
        sums[r] = add_groups_of_32<Format>(block, Format::scales(row[r], b), given, sums[r]);
      } else {
        sums[r] = add_groups_of_16<Format>(block, Format::scales(row[r], b), given, sums[r]);
      }
    }
  }
}

template <class Format>
void multiply_digits(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns, const Digits& input,
                     float* products) {
  std::int64_t row = 0;
  for (; row + digit_rows <= row_count; row += digit_rows) {
    Floats sums[digit_rows] = {};
    add_digit_products<Format, digit_rows>(rows + row, columns, input, sums);
    for (int r = 0; r < digit_rows; ++r) products[row + r] = sum_of(sums[r]);
  }
  for (; row < row_count; ++row) {
    Floats sum = {};
    add_digit_products<Format, 1>(rows + row, columns, input, &sum);
    products[row] = sum_of(sum);
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
