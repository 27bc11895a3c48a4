// The loops that most of a pass's time goes to, as each level of a processor's instructions runs them. They are
// compiled once for each level, with the runtime: shapes are arguments here, since a loop over a row gains nothing from
// a length that is a constant, and kernels, whose shapes are constants, call them.
//
// Takes rows as files and states have them, and rows of floats. Every sum of a loop has one order, which depends on the
// number of elements alone: not on how many rows and inputs are given at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace monomorph::cpu {

/// How the elements of a row lie, and the struct that reads them (row_formats.hpp). A row of a state in q8_0 is
/// codes_and_scales: int8 codes of the whole row, and then an f16 for every 32.
// clang-format off
#define MONOMORPH_ROW_FORMATS(each) \
  each(f32, F32) \
  each(f16, F16) \
  each(bf16, Bf16) \
  each(codes_and_scales, CodesAndScales) \
  each(q4_0, Q4_0) \
  each(q4_1, Q4_1) \
  each(q5_0, Q5_0) \
  each(q5_1, Q5_1) \
  each(q8_0, Q8_0) \
  each(q2_k, Q2K) \
  each(q3_k, Q3K) \
  each(q4_k, Q4K) \
  each(q5_k, Q5K) \
  each(q6_k, Q6K) \
  each(iq4_nl, Iq4Nl) \
  each(iq4_xs, Iq4Xs) \
  each(mxfp4, Mxfp4)
// clang-format on
enum class RowFormat : std::uint32_t {
#define MONOMORPH_NAME(format, reader) format,
  MONOMORPH_ROW_FORMATS(MONOMORPH_NAME)
#undef MONOMORPH_NAME
};

/// Rows of blocks may be interleaved by eights. The first blocks of the eight rows stand together, then their second
/// blocks. A block consists of words of four bytes, and perhaps of some bytes before the first word or behind the last.
/// Of such a part, which begins at byte n of a block, the eight rows' follow one another from byte 8 * n on.
constexpr int interleaved_rows = 8;
/// Where the words of a block begin: behind its scale, where that leaves a whole number of them.
constexpr int first_word(int block_bytes) { return block_bytes < 64 ? block_bytes % 4 : 0; }

/// sums[i * row_count + r] = the scalar product of row r and input i.
struct Products {
  const std::byte* const* rows;  ///< where each begins
  std::int64_t row_count;
  std::int64_t columns;  ///< elements of a row and of an input
  const float* const* inputs;
  std::int64_t input_count;
  float* sums;
};

/// Most inputs that are packed together, and the floats that they take: whole vectors of any level.
constexpr std::int64_t most_packed = 128;
constexpr std::int64_t packed_floats(std::int64_t input_count, std::int64_t columns) {
  return (input_count + 15) / 16 * 16 * columns;
}
/// The same products of inputs that Level::pack has packed.
struct PackedProducts {
  const std::byte* const* rows;
  std::int64_t row_count;
  std::int64_t columns;
  const float* packed;
  std::int64_t input_count;  ///< at most most_packed
  float* sums;
};

/// sums[i * columns + c] = the sum over r of weights[i * row_count + r] * element c of row r.
struct Blends {
  const std::byte* const* rows;
  std::int64_t row_count;
  std::int64_t columns;
  const float* weights;
  std::int64_t blend_count;
  float* sums;
};

/// 32 elements of an input as integers: element i is scale times an integer of three signed digits of base 256, the
/// lowest first.
struct DigitBlock {
  std::int8_t digits[3][32];
  float scale;
  /// Of the first half, of the second, and of all 32: the sums of what the upper two digits make, of the lowest digits,
  /// and of the elements.
  struct Part {
    std::int32_t upper, lower;
    float total;
  } parts[3];
};

/// The same products of inputs that Level::cut_into_digits has cut.
struct DigitProducts {
  const std::byte* const* rows;  ///< where each begins, and of an interleaved one where the first of its eight does
  std::int64_t row_count;
  std::int64_t interleaved;  ///< rows, from the first on: whole eights
  std::int64_t columns;
  const DigitBlock* inputs;  ///< whole ones, one after another
  std::int64_t input_count;
  float* sums;
};

/// Every f16 as a float, by its bits; filled by levels_here().
extern float f16_values[1 << 16];

/// What a level computes with rows of one format. RowLoops and Level are plain data: a unit runs nothing before it is
/// called.
struct RowLoops {
  std::int64_t few_inputs;  ///< more than these are multiplied faster packed; most_packed where none are
  void (*multiply)(const Products&);
  /// The same in another order, which too depends on the number of elements alone.
  void (*multiply_packed)(const PackedProducts&);
  /// Null but for formats of states.
  void (*blend)(const Blends&);
  /// Null but for formats that are faster so.
  void (*multiply_digits)(const DigitProducts&);
  /// Eight interleaved rows as a file has them, one after another. Null where multiply_digits is.
  void (*deinterleave)(const std::byte* eight, std::int64_t columns, std::byte* rows);
};

/// What a level computes whatever the format of rows.
struct Level {
  const char* name;
  /// Null where floats are as fast: cuts an input of whole blocks into digits, to 24 bits of the largest element of
  /// each.
  void (*cut_into_digits)(const float* input, std::int64_t columns, DigitBlock* out);
  /// Lays inputs as multiply_packed reads them: packed_floats() of them.
  void (*pack)(const float* const* inputs, std::int64_t input_count, std::int64_t columns, float* packed);
  /// values[i] = exp(values[i] - greatest) for each of `count`, none of which is greater; returns their sum. Within two
  /// units in the last place; below 2^-126 it is 0.
  float (*exponentials)(float* values, std::int64_t count, float greatest);
};

}  // namespace monomorph::cpu
