// Products by digits, at every level that this processor runs: whole sums exactly, and the same bits whatever is
// computed beside them.
#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "runtime/cpu/interleave.hpp"
#include "tests/runtime/cpu/level_matrices.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

/// The products of rows with inputs, which follow one another, by digits.
std::vector<float> multiplied_by_digits(const Level& level, const Matrix& matrix,
                                        std::span<const std::byte* const> rows, std::int64_t interleaved,
                                        std::span<const float> inputs) {
  std::vector<DigitBlock> digits(inputs.size() / 32);
  level.cut_into_digits(inputs.data(), std::ssize(inputs), digits.data());
  const std::int64_t input_count = std::ssize(inputs) / matrix.columns;
  std::vector<float> sums(rows.size() * static_cast<std::size_t>(input_count));
  loops(level, matrix.format)
      .multiply_digits(
          {rows.data(), std::ssize(rows), interleaved, matrix.columns, digits.data(), input_count, sums.data()});
  return sums;
}

/// The products of a matrix's rows with an input by digits, and how far the worst is from that of doubles: of the sum
/// of its terms' sizes.
struct Measured {
  std::vector<float> of_rows;
  double worst = 0;
};
Measured digit_products(const Level& level, const Matrix& matrix, const std::vector<float>& input) {
  Measured products{multiplied_by_digits(level, matrix, matrix.row, 0, input)};
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    const float of_row = products.of_rows[static_cast<std::size_t>(r)];
    products.worst = worse(products.worst, error_of(of_row, matrix, r, input.data()));
    CHECK(multiplied_by_digits(level, matrix, std::span(matrix.row).subspan(static_cast<std::size_t>(r), 1), 0,
                               input)[0] == of_row);
  }
  return products;
}

}  // namespace

TEST_CASE("by digits products are those of doubles, and the same of one row and of many") {
  for (const Matrix& matrix : matrices(19)) {
    for (const Level* level : levels()) {
      if (loops(*level, matrix.format).multiply_digits == nullptr) continue;
      CAPTURE(described(*level, matrix));
      for (const float size : {1.0f, 1e-20f, 1e20f}) {
        std::vector<float> input = random_floats(matrix.columns, 3);
        for (std::size_t c = 0; c < input.size(); ++c)
          input[c] *= c / 32 % 3 == 1 ? 0 : size * static_cast<float>(c + 1);
        CHECK(digit_products(*level, matrix, input).worst < 5e-7);
      }
    }
  }
}

TEST_CASE("the largest digits times the largest codes fit into what they are added in") {
  for (const auto& [dtype, scale_at, largest] : {std::tuple{Dtype::q4_0, 0, std::byte{0xff}},
                                                 {Dtype::q5_0, 0, std::byte{0xff}},
                                                 {Dtype::q6_k, 208, std::byte{0xff}},
                                                 {Dtype::q8_0, 0, std::byte{0x7f}}}) {
    Matrix matrix = matrix_of(dtype, 8, 512);
    const auto block_bytes = static_cast<std::size_t>(row_of(dtype).block_bytes);
    for (std::size_t i = 0; i < matrix.bytes.size(); ++i) {
      const auto place = static_cast<int>(i % block_bytes) - scale_at;
      if (place != 0 && place != 1) matrix.bytes[i] = largest;
    }
    decode_blocks(dtype, matrix.bytes.data(), matrix.elements);
    for (const Level* level : levels()) {
      if (loops(*level, matrix.format).multiply_digits == nullptr) continue;
      CAPTURE(described(*level, matrix));
      for (const int digits : {0x7e7f7f, -0x7e8080}) {
        std::vector<float> input(512, static_cast<float>(digits) / 0x7f7f00);
        for (std::size_t c = 0; c < input.size(); c += 32) input[c] = 1;
        CHECK(digit_products(*level, matrix, input).worst < 5e-7);
      }
    }
  }
}

TEST_CASE("by digits an element far larger than its neighbours leaves them exact") {
  Matrix matrix = matrix_of(Dtype::q8_0, 64, 32);
  std::mt19937 numbers(7);
  for (std::size_t i = 0; i < matrix.bytes.size(); ++i) {
    const auto place = static_cast<int>(i % 34) - 2;  // behind the scale
    if (place >= 0) matrix.bytes[i] = static_cast<std::byte>(place == 5 ? 127 : static_cast<int>(numbers() % 5) - 2);
  }
  decode_blocks(Dtype::q8_0, matrix.bytes.data(), matrix.elements);
  std::vector<float> input = random_floats(32, 3);
  for (float& value : input) value = 0.5f + 0.4f * value;
  input[5] = 0.01f;  // the large one's
  for (const Level* level : levels()) {
    if (loops(*level, matrix.format).multiply_digits == nullptr) continue;
    CAPTURE(described(*level, matrix));
    CHECK(digit_products(*level, matrix, input).worst < 3e-7);
  }
}

TEST_CASE("interleaved rows give, of each input, bit for bit what they give apart, and come apart") {
  for (const DtypeRow& type : dtype_rows) {
    const Dtype dtype = dtype_named(type.name);
    if (!is_quantized(dtype)) continue;
    constexpr std::int64_t rows = 3 * interleaved_rows, columns = 768;
    const Matrix matrix = matrix_of(dtype, rows, columns);
    const std::int64_t row_bytes = file_row_bytes(dtype, columns);
    std::vector<std::byte> interleaved(matrix.bytes.size()), row(static_cast<std::size_t>(row_bytes));
    std::vector<const std::byte*> row_of_eight;
    for (std::int64_t r = 0; r < rows; ++r) {
      row_of_eight.push_back(interleaved.data() + r / interleaved_rows * interleaved_rows * row_bytes);
    }
    interleave(dtype, matrix.bytes.data(), rows, row_bytes, interleaved.data());
    CHECK(interleaved != matrix.bytes);
    std::vector<std::byte> apart;
    for (std::size_t r = 0; r < row_of_eight.size(); ++r) {
      copy_interleaved_row(dtype, row_of_eight[r], static_cast<std::int64_t>(r) % interleaved_rows, row_bytes,
                           row.data());
      apart.insert(apart.end(), row.begin(), row.end());
    }
    CHECK(apart == matrix.bytes);
    constexpr std::int64_t inputs = 23;
    const std::vector<float> input = random_floats(inputs * columns, 3);
    for (const Level* level : levels()) {
      const RowLoops& own = loops(*level, matrix.format);
      if (own.multiply_digits == nullptr) continue;
      CAPTURE(described(*level, matrix));
      const std::vector<float> products = multiplied_by_digits(*level, matrix, row_of_eight, rows, input);
      CHECK(products == multiplied_by_digits(*level, matrix, matrix.row, 0, input));
      for (std::int64_t i = 0; i < inputs; ++i) {
        const std::span<const float> alone = std::span(input).subspan(static_cast<std::size_t>(i * columns), columns);
        CHECK(std::ranges::equal(std::span(products).subspan(static_cast<std::size_t>(i * rows), rows),
                                 multiplied_by_digits(*level, matrix, row_of_eight, rows, alone)));
      }
      std::vector<std::byte> copied(matrix.bytes.size());
      for (std::int64_t r = 0; r < rows; r += interleaved_rows) {
        own.deinterleave(row_of_eight[static_cast<std::size_t>(r)], columns, copied.data() + r * row_bytes);
      }
      CHECK(copied == matrix.bytes);
    }
  }
}

TEST_CASE("digits of what is no number give none, and the greatest element keeps its sign") {
  for (const Level* level : levels()) {
    if (level->cut_into_digits == nullptr) continue;
    CAPTURE(level->name);
    for (const float value : {std::nanf(""), std::numeric_limits<float>::infinity(), 3.0e38f, -3.0e38f, 0.7f, -0.7f}) {
      std::vector<float> input(32, 0.25f);
      input[17] = value;
      DigitBlock block;
      level->cut_into_digits(input.data(), 32, &block);
      const int number = block.digits[0][17] + 256 * block.digits[1][17] + 65536 * block.digits[2][17];
      if (std::isfinite(value)) {
        CHECK(block.scale * static_cast<float>(number) == doctest::Approx(value).epsilon(1e-7));
      } else {
        CHECK(std::isnan(block.parts[2].total));
      }
    }
  }
}
