// Products of codes of four bits with one input in integers (digits.hpp). AVX2 widens eight codes by two instructions
// and multiplies them by two more; of bytes it multiplies and adds 32 by two. A block's sum is exact in 32 bits.
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

/// How rows of a format are multiplied so, where they are.
template <class Format>
struct DigitsOf {};

/// Rows of 32 elements a block, each (code - 8) * scale.
template <>
struct DigitsOf<Q4_0> {
  static constexpr bool there = true;
  template <int rows>
  static void add(const std::byte* const* row, std::int64_t columns, const Digits& input, Floats* sums) {
    const __m256i four_bits = _mm256_set1_epi8(15), shifts = _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4);
    const std::int64_t ahead = bytes_ahead<rows>(row);
    for (std::int64_t b = 0; b < columns / chunk; ++b) {
      const DigitBlock& block = input.blocks[b];
      const __m256i eights = _mm256_slli_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(block.fours)), 3);
      const __m256 input_scale = _mm256_broadcast_ss(input.scales + b);
      for (int r = 0; r < rows; ++r) {
        const std::byte* at = row[r] + b * 18;
        __builtin_prefetch(at + ahead);
        const __m256i pairs = _mm256_broadcastsi128_si256(load<__m128i>(at + 2));
        const __m256i codes = _mm256_and_si256(_mm256_srlv_epi32(pairs, shifts), four_bits);
        const __m256i sum = _mm256_sub_epi32(products_of(codes, block), eights);
        const Floats scale = _mm256_mul_ps(spread(load_scale(at)), input_scale);
        sums[r] = multiply_add(_mm256_cvtepi32_ps(sum), scale, sums[r]);
      }
    }
  }
};

/// Rows of 256 elements a block, each code * scale - minimum of its 32.
template <>
struct DigitsOf<Q4K> {
  static constexpr bool there = true;
  template <int rows>
  static void add(const std::byte* const* row, std::int64_t columns, const Digits& input, Floats* sums) {
    const __m256i four_bits = _mm256_set1_epi8(15);
    const std::int64_t ahead = bytes_ahead<rows>(row);
    for (std::int64_t b = 0; b < columns / 256; ++b) {
      for (int r = 0; r < rows; ++r) {
        const Q4K::Scales scales = Q4K::scales(row[r], b);
        sums[r] = multiply_add(load<Floats>(scales.minimum), load<Floats>(input.totals + 8 * b), sums[r]);
        float scale[8];
        store(scale, load<Floats>(scales.scale) * load<Floats>(input.scales + 8 * b));
        for (int pair = 0; pair < 4; ++pair) {
          __builtin_prefetch(row[r] + b * 144 + 36 * pair + ahead);
          const __m256i codes = load<__m256i>(row[r] + b * 144 + 16 + 32 * pair);
          const DigitBlock* blocks = input.blocks + 8 * b + 2 * pair;
          const __m256i low = products_of(_mm256_and_si256(codes, four_bits), blocks[0]);
          const __m256i high = products_of(_mm256_and_si256(_mm256_srli_epi16(codes, 4), four_bits), blocks[1]);
          sums[r] = multiply_add(_mm256_cvtepi32_ps(low), spread(scale[2 * pair]), sums[r]);
          sums[r] = multiply_add(_mm256_cvtepi32_ps(high), spread(scale[2 * pair + 1]), sums[r]);
        }
      }
    }
  }
};

template <class Format>
void multiply_digits(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns, const Digits& input,
                     float* products) {
  std::int64_t row = 0;
  for (; row + digit_rows <= row_count; row += digit_rows) {
    Floats sums[digit_rows] = {};
    DigitsOf<Format>::template add<digit_rows>(rows + row, columns, input, sums);
    for (int r = 0; r < digit_rows; ++r) products[row + r] = sum_of(sums[r]);
  }
  for (; row < row_count; ++row) {
    Floats sum = {};
    DigitsOf<Format>::template add<1>(rows + row, columns, input, &sum);
    products[row] = sum_of(sum);
  }
}

}  // namespace
}  // namespace monomorph::cpu

#endif
