// Where blocks of eight rows lie that are multiplied together (rows_in_lanes.hpp): each row is read into 32 bits of a
// register, and a register has four neighbouring bytes of each.
#pragma once

#include "runtime/cpu/levels/row_formats.hpp"

#ifdef MONOMORPH_DIGITS

namespace monomorph::cpu {
namespace {

/// Of each row 32 bits.
typedef __m256i RowsOfWords;
typedef EightFloats RowsOfFloats;

[[maybe_unused]] RowsOfFloats floats_of(RowsOfWords words) { return RowsOfFloats(_mm256_cvtepi32_ps(words)); }
[[maybe_unused]] RowsOfFloats in_all_rows(float value) { return value - RowsOfFloats{}; }
[[maybe_unused]] RowsOfFloats add_scaled(RowsOfFloats a, RowsOfFloats b, RowsOfFloats c) {
  return _mm256_fmadd_ps(a, b, c);
}

/// Of each row sixteen bytes: a column has four of each.
struct Strip {
  RowsOfWords column[4];
};
/// In each half of registers, what were columns become rows: its own inverse.
[[maybe_unused]] Strip transposed(const Strip& strip) {
  const auto& [p, q, r, s] = strip.column;
  const RowsOfWords a = _mm256_unpacklo_epi32(p, q), b = _mm256_unpacklo_epi32(r, s);
  const RowsOfWords c = _mm256_unpackhi_epi32(p, q), d = _mm256_unpackhi_epi32(r, s);
  return {{_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b), _mm256_unpacklo_epi64(c, d),
           _mm256_unpackhi_epi64(c, d)}};
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

/// A block of each of eight rows, as a file has them. What stands at a byte of the block, of each row:
class BlocksOfRows {
 public:
  BlocksOfRows(const std::byte* const* rows, std::int64_t at) : rows_(rows), at_(at) {}
  Strip strip(int at) const {
    Strip halves;  // rows r and r + 4
    for (int r = 0; r < 4; ++r) {
      halves.column[r] =
          _mm256_inserti128_si256(_mm256_castsi128_si256(load<__m128i>(of(r) + at)), load<__m128i>(of(r + 4) + at), 1);
    }
    return transposed(halves);
  }
  RowsOfWords words(int at) const {
    const auto word = [&](int r) { return load<std::int32_t>(of(r) + at); };
    return _mm256_setr_epi32(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7));
  }
  RowsOfFloats f16(int at) const {
    const auto half = [&](int r) { return load<std::int16_t>(of(r) + at); };
    return _mm256_cvtph_ps(_mm_setr_epi16(half(0), half(1), half(2), half(3), half(4), half(5), half(6), half(7)));
  }
  RowsOfWords bytes(int at) const {
    const auto byte = [&](int r) { return load<std::uint8_t>(of(r) + at); };
    return _mm256_setr_epi32(byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7));
  }

 private:
  const std::byte* of(int row) const { return rows_[row] + at_; }
  const std::byte* const* rows_;
  std::int64_t at_;
};

/// The same of eight interleaved rows.
class InterleavedBlocks {
 public:
  explicit InterleavedBlocks(const std::byte* blocks) : blocks_(blocks) {}
  Strip strip(int at) const { return {{words(at), words(at + 4), words(at + 8), words(at + 12)}}; }
  RowsOfWords words(int at) const { return load<RowsOfWords>(blocks_ + interleaved_rows * at); }
  RowsOfFloats f16(int at) const { return _mm256_cvtph_ps(load<__m128i>(blocks_ + interleaved_rows * at)); }
  RowsOfWords bytes(int at) const { return _mm256_cvtepu8_epi32(_mm_loadl_epi64(at_byte(at))); }

 private:
  const __m128i* at_byte(int at) const { return reinterpret_cast<const __m128i*>(blocks_ + interleaved_rows * at); }
  const std::byte* blocks_;
};

}  // namespace
}  // namespace monomorph::cpu

#endif
