// The loops that most of a pass's time goes to, as each level of a processor's instructions runs them. They are
// compiled once for each level, with the runtime: shapes are arguments here, since a loop over a row gains nothing from
// a length that is a constant, and kernels, whose shapes are constants, call them.
//
// Takes rows as files and states have them, and rows of floats. Every sum has one order, which depends on the number of
// elements alone: not on how many rows and inputs are given at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace monomorph::cpu {

/// How the elements of a row lie.
enum class RowFormat : std::uint32_t {
  f32,
  f16,
  bf16,
  codes_and_scales,  ///< of a state in q8_0: int8 codes of the whole row, and then an f16 for every 32
  q4_0,
  q8_0,
  q4_k,
  q6_k,
  q4_1
};
inline constexpr std::size_t row_formats = 9, state_formats = 4;  ///< of which states have the first

/// sums[i * row_count + r] = the scalar product of row r and input i.
struct Products {
  const std::byte* const* rows;  ///< where each begins
  std::int64_t row_count;
  std::int64_t columns;  ///< elements of a row and of an input
  const float* const* inputs;
  std::int64_t input_count;
  float* sums;
};

/// sums[i * columns + c] = the sum over r of weights[i * row_count + r] * element c of row r, r ascending.
struct Blends {
  const std::byte* const* rows;
  std::int64_t row_count;
  std::int64_t columns;
  const float* weights;
  std::int64_t blend_count;
  float* sums;
};

/// 32 elements of an input as integers, each of three signed digits of base 256, the lowest first.
struct alignas(32) DigitBlock {
  std::int8_t digits[3][32];
  std::int32_t fours[8];  ///< the sums of each four elements
};
/// An input as integers: element i of block b is scales[b] * its integer.
struct Digits {
  DigitBlock* blocks;
  float* scales;
  float* totals;  ///< the sum of a block's elements
};

/// Every f16 as a float, by its bits; filled by levels_here().
extern float f16_values[1 << 16];

/// What one unit gives. It is plain data: a unit runs nothing before it is called.
struct Level {
  const char* name;
  void (*multiply[row_formats])(const Products&);
  void (*blend[state_formats])(const Blends&);
  /// Null where floats are as fast: cuts an input of whole blocks into digits, to 24 bits of the largest element of
  /// each.
  void (*cut_into_digits)(const float* input, std::int64_t columns, const Digits& out);
  /// products[r] = the scalar product of row r and the input; null but for formats that are faster so.
  void (*multiply_digits[row_formats])(const std::byte* const* rows, std::int64_t row_count, std::int64_t columns,
                                       const Digits& input, float* products);
  /// values[i] = exp(values[i] - greatest) for each of `count`, none of which is greater; returns their sum. Within two
  /// units in the last place; below 2^-126 it is 0.
  float (*exponentials)(float* values, std::int64_t count, float greatest);
};

}  // namespace monomorph::cpu
