// What the tests of levels share: the levels that run here, and matrices of every format with their elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/cpu/levels/levels.hpp"
#include "runtime/cpu/levels/row_loops.hpp"
#include "runtime/cpu/row_format.hpp"
#include "runtime/cpu/states.hpp"
#include "runtime/formats/half.hpp"
#include "runtime/formats/quantized.hpp"

#ifdef MONOMORPH_TEST_PORTABLE
namespace monomorph::cpu::portable {  // of processors that have no level of their own

extern const Level level;
#define MONOMORPH_DECLARE(format, reader) extern const RowLoops format;
MONOMORPH_ROW_FORMATS(MONOMORPH_DECLARE)
#undef MONOMORPH_DECLARE

}  // namespace monomorph::cpu::portable
#endif

namespace monomorph::tests {

using namespace cpu;

inline std::vector<const Level*> levels() {
  std::vector<const Level*> all = levels_here();
#ifdef MONOMORPH_TEST_PORTABLE
  all.push_back(&portable::level);
#endif
  return all;
}

inline const RowLoops& loops(const Level& level, RowFormat format) {
#ifdef MONOMORPH_TEST_PORTABLE
#define MONOMORPH_CHOOSE(each, reader) \
  if (&level == &portable::level && format == RowFormat::each) return portable::each;
  MONOMORPH_ROW_FORMATS(MONOMORPH_CHOOSE)
#undef MONOMORPH_CHOOSE
#endif
#define MONOMORPH_CHOOSE(each, reader) \
  if (format == RowFormat::each) return row_loops<RowFormat::each>(level);
  MONOMORPH_ROW_FORMATS(MONOMORPH_CHOOSE)
#undef MONOMORPH_CHOOSE
  throw std::logic_error("a format that is none");
}

inline std::vector<float> random_floats(std::int64_t count, std::uint32_t seed) {
  std::mt19937 numbers(seed);
  std::vector<float> values;
  // Bits of mt19937 are the same everywhere, those of the library's distributions are not.
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(numbers()) * 0x1p-31f - 1);
  return values;
}

/// The greater of two errors; one that is no number is greater than any.
inline double worse(double worst, double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
}

/// Rows in a format, and their elements.
struct Matrix {
  RowFormat format;
  std::int64_t rows, columns;
  std::vector<std::byte> bytes{};
  std::vector<const std::byte*> row{};
  std::vector<float> elements{};
  const float* elements_of(std::int64_t r) const { return elements.data() + r * columns; }
};
/// How far a product of row `r` with an input is from that of doubles: of the sum of its terms' sizes.
inline double error_of(float product, const Matrix& matrix, std::int64_t r, const float* input) {
  double sum = 0, size = 0;
  for (std::int64_t c = 0; c < matrix.columns; ++c) {
    const double term = static_cast<double>(matrix.elements_of(r)[c]) * input[c];
    sum += term;
    size += std::abs(term);
  }
  return std::abs(product - sum) / size;
}

inline Matrix states_of_q8_0(std::int64_t rows, std::int64_t columns) {
  Matrix matrix{RowFormat::codes_and_scales, rows, columns};
  const std::vector<float> values = random_floats(rows * columns, 7);
  const std::int64_t row_bytes = columns + columns / 32 * 2;
  matrix.bytes.resize(static_cast<std::size_t>(rows * (row_bytes + 2)));
  matrix.elements.resize(values.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    std::byte* const row = matrix.bytes.data() + r * (row_bytes + 2);
    q8_0::store(values.data() + r * columns, columns, row);
    q8_0::load(row, columns, matrix.elements.data() + r * columns);
    matrix.row.push_back(row);
  }
  return matrix;
}

inline Matrix matrix_of(Dtype dtype, std::int64_t rows, std::int64_t columns) {
  Matrix matrix{row_format(dtype), rows, columns};
  const std::int64_t row_bytes = columns / row_of(dtype).block_elements * row_of(dtype).block_bytes;
  matrix.bytes.resize(static_cast<std::size_t>(rows * row_bytes));
  matrix.elements.resize(static_cast<std::size_t>(rows * columns));
  const std::vector<float> values = random_floats(rows * columns, 5);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::byte* const row = matrix.bytes.data() + r * row_bytes;
    matrix.row.push_back(row);
    for (std::int64_t i = 0; i < columns / row_of(dtype).block_elements; ++i) {
      const auto place = static_cast<std::size_t>(r * columns + i);
      if (is_quantized(dtype)) {
        fill_random_block(dtype, static_cast<std::uint64_t>(r * columns + i), 0.5f,
                          {row + i * row_of(dtype).block_bytes, static_cast<std::size_t>(row_of(dtype).block_bytes)});
      } else if (dtype == Dtype::f32) {
        std::memcpy(row + 4 * i, &values[place], 4);
      } else {
        std::uint16_t bits = dtype == Dtype::f16 ? f16_from_f32(values[place]) : bf16_from_f32(values[place]);
        if (place % 7 == 3 && dtype == Dtype::f16) bits &= 0x83ffu;  // subnormal
        std::memcpy(row + 2 * i, &bits, 2);
      }
    }
    decode_blocks(dtype, row, std::span(matrix.elements.data() + r * columns, static_cast<std::size_t>(columns)));
  }
  return matrix;
}

/// Every format, with lengths that end in and between its chunks, and some rows that are longer than 4 KB.
inline std::vector<Matrix> matrices(std::int64_t rows) {
  std::vector<Matrix> all;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    for (const std::int64_t columns : {1, 8, 31, 32, 80, 300, 513, 1040}) {
      all.push_back(matrix_of(dtype, rows, columns));
    }
  }
  for (const Dtype dtype :
       {Dtype::q4_0, Dtype::q4_1, Dtype::q5_0, Dtype::q5_1, Dtype::q8_0, Dtype::iq4_nl, Dtype::mxfp4}) {
    for (const std::int64_t columns : {32, 96, 544}) all.push_back(matrix_of(dtype, rows, columns));
  }
  for (const Dtype dtype : {Dtype::q2_k, Dtype::q3_k, Dtype::q4_k, Dtype::q5_k, Dtype::q6_k, Dtype::iq4_xs}) {
    for (const std::int64_t columns : {256, 768}) all.push_back(matrix_of(dtype, rows, columns));
  }
  for (const std::int64_t columns : {32, 96, 256}) all.push_back(states_of_q8_0(rows, columns));
  return all;
}

inline std::string described(const Level& level, const Matrix& matrix) {
  return std::string(level.name) + ", format " + std::to_string(static_cast<int>(matrix.format)) + ", " +
         std::to_string(matrix.columns) + " columns";
}

}  // namespace monomorph::tests
