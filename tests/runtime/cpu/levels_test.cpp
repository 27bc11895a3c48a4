// What every level that this processor runs computes: elements exactly, sums to the last bits of f32 and in one order,
// whatever is computed beside them.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/cpu/interleave.hpp"
#include "runtime/cpu/kernels/matrices.hpp"
#include "runtime/cpu/levels/levels.hpp"
#include "runtime/cpu/levels/row_loops.hpp"
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

using namespace monomorph;
using namespace monomorph::cpu;

namespace {

std::vector<const Level*> levels() {
  std::vector<const Level*> all = levels_here();
#ifdef MONOMORPH_TEST_PORTABLE
  all.push_back(&portable::level);
#endif
  return all;
}

const RowLoops& loops(const Level& level, RowFormat format) {
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

std::vector<float> random_floats(std::int64_t count, std::uint32_t seed) {
  std::mt19937 numbers(seed);
  std::vector<float> values;
  // Bits of mt19937 are the same everywhere, those of the library's distributions are not.
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(numbers()) * 0x1p-31f - 1);
  return values;
}

/// The greater of two errors; one that is no number is greater than any.
double worse(double worst, double error) {
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

Matrix states_of_q8_0(std::int64_t rows, std::int64_t columns) {
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

Matrix matrix_of(Dtype dtype, std::int64_t rows, std::int64_t columns) {
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
std::vector<Matrix> matrices(std::int64_t rows) {
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

std::vector<const float*> pointers(const std::vector<float>& values, std::int64_t columns) {
  std::vector<const float*> rows;
  for (std::int64_t at = 0; at < std::ssize(values); at += columns) rows.push_back(values.data() + at);
  return rows;
}

std::vector<float> multiply(const Level& level, const Matrix& matrix, const std::vector<const float*>& inputs,
                            std::int64_t first = 0, std::int64_t rows = 0) {
  if (rows == 0) rows = matrix.rows;
  std::vector<float> sums(static_cast<std::size_t>(rows) * inputs.size());
  loops(level, matrix.format)
      .multiply({matrix.row.data() + first, rows, matrix.columns, inputs.data(), std::ssize(inputs), sums.data()});
  return sums;
}

/// The same of packed inputs, at most most_packed of them.
std::vector<float> multiply_packed(const Level& level, const Matrix& matrix, const std::vector<const float*>& inputs,
                                   std::int64_t first = 0, std::int64_t rows = 0) {
  if (rows == 0) rows = matrix.rows;
  std::vector<float> packed(static_cast<std::size_t>(packed_floats(std::ssize(inputs), matrix.columns)));
  level.pack(inputs.data(), std::ssize(inputs), matrix.columns, packed.data());
  std::vector<float> sums(static_cast<std::size_t>(rows) * inputs.size());
  loops(level, matrix.format)
      .multiply_packed(
          {matrix.row.data() + first, rows, matrix.columns, packed.data(), std::ssize(inputs), sums.data()});
  return sums;
}

/// Both ways that any format is multiplied, with the most inputs of a call.
struct Loop {
  std::vector<float> (*multiply)(const Level&, const Matrix&, const std::vector<const float*>&, std::int64_t first,
                                 std::int64_t rows);
  std::int64_t most_inputs;
};
const Loop loops_of_products[] = {{multiply, 130}, {multiply_packed, most_packed}};

std::string described(const Level& level, const Matrix& matrix) {
  return std::string(level.name) + ", format " + std::to_string(static_cast<int>(matrix.format)) + ", " +
         std::to_string(matrix.columns) + " columns";
}

}  // namespace

TEST_CASE("every element is what the format's decoder gives, bit for bit") {
  for (const Matrix& matrix : matrices(5)) {
    std::vector<float> ones(static_cast<std::size_t>(matrix.columns * matrix.columns));
    for (std::int64_t c = 0; c < matrix.columns; ++c) ones[static_cast<std::size_t>(c * matrix.columns + c)] = 1;
    for (const Level* level : levels()) {
      CAPTURE(described(*level, matrix));
      std::int64_t wrong = 0;
      for (std::int64_t c = 0; c < matrix.columns; ++c) {
        const std::vector<const float*> input = {ones.data() + c * matrix.columns};
        const std::vector<float> products = multiply(*level, matrix, input),
                                 packed = multiply_packed(*level, matrix, input);
        for (std::int64_t r = 0; r < matrix.rows; ++r) {
          const float element = matrix.elements_of(r)[c];
          wrong += products[static_cast<std::size_t>(r)] != element;
          wrong += packed[static_cast<std::size_t>(r)] != element;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("scales of MXFP4 are powers of two of any size") {
  std::vector<float> ones(32 * 32);
  for (std::size_t c = 0; c < 32; ++c) ones[c * 32 + c] = 1;
  for (const int exponent : {0, 1, 2, 3, 127, 251}) {
    CAPTURE(exponent);
    Matrix matrix{RowFormat::mxfp4, 1, 32};
    matrix.bytes.push_back(static_cast<std::byte>(exponent));
    for (int code = 0; code < 16; ++code) matrix.bytes.push_back(static_cast<std::byte>(code * 17));
    matrix.row.push_back(matrix.bytes.data());
    matrix.elements.resize(32);
    decode_blocks(Dtype::mxfp4, matrix.bytes.data(), matrix.elements);
    for (const Level* level : levels()) {
      CAPTURE(level->name);
      CHECK(multiply(*level, matrix, pointers(ones, 32)) == matrix.elements);
    }
  }
}

TEST_CASE("products are those of doubles") {
  for (const Matrix& matrix : matrices(19)) {
    const std::vector<float> values = random_floats(130 * matrix.columns, 3);
    std::vector<const float*> inputs = pointers(values, matrix.columns);
    for (const Loop& loop : loops_of_products) {
      inputs.resize(static_cast<std::size_t>(loop.most_inputs));
      for (const Level* level : levels()) {
        CAPTURE(described(*level, matrix));
        const std::vector<float> sums = loop.multiply(*level, matrix, inputs, 0, matrix.rows);
        double worst = 0;  // of the error against the sum of what was added
        for (std::int64_t r = 0; r < matrix.rows; ++r) {
          for (std::size_t i = 0; i < inputs.size(); ++i) {
            double sum = 0, size = 0;
            for (std::int64_t c = 0; c < matrix.columns; ++c) {
              const double product = static_cast<double>(matrix.elements_of(r)[c]) * inputs[i][c];
              sum += product;
              size += std::abs(product);
            }
            const float given = sums[i * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(r)];
            worst = worse(worst, std::abs(given - sum) / size);
          }
        }
        CHECK(worst < 5e-7);
      }
    }
  }
}

TEST_CASE("a product's bits depend on its row and its input alone") {
  for (const Matrix& matrix : matrices(19)) {
    const std::vector<float> values = random_floats(130 * matrix.columns, 3);
    std::vector<const float*> inputs = pointers(values, matrix.columns);
    for (const Loop& loop : loops_of_products) {
      inputs.resize(static_cast<std::size_t>(loop.most_inputs));
      for (const Level* level : levels()) {
        CAPTURE(described(*level, matrix));
        const std::vector<float> all = loop.multiply(*level, matrix, inputs, 0, matrix.rows);
        std::int64_t wrong = 0;
        for (const std::int64_t count : {1, 2, 3, 4, 7, 20, 50, 127}) {
          for (const std::int64_t rows : {1, 3, 4, 8, 17}) {
            const std::int64_t first = matrix.rows - rows, first_input = loop.most_inputs - count;
            const std::vector<const float*> some(inputs.begin() + first_input, inputs.end());
            const std::vector<float> sums = loop.multiply(*level, matrix, some, first, rows);
            for (std::int64_t r = 0; r < rows; ++r) {
              for (std::int64_t i = 0; i < count; ++i) {
                wrong += sums[static_cast<std::size_t>(i * rows + r)] !=
                         all[static_cast<std::size_t>((first_input + i) * matrix.rows + first + r)];
              }
            }
          }
        }
        CHECK(wrong == 0);
      }
    }
  }
}

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
    double sum = 0, bound = 0;
    for (std::int64_t c = 0; c < matrix.columns; ++c) {
      const double product = static_cast<double>(matrix.elements_of(r)[c]) * input[static_cast<std::size_t>(c)];
      sum += product;
      bound += std::abs(product);
    }
    const float of_row = products.of_rows[static_cast<std::size_t>(r)];
    products.worst = worse(products.worst, std::abs(of_row - sum) / bound);
    CHECK(multiplied_by_digits(level, matrix, std::span(matrix.row).subspan(static_cast<std::size_t>(r), 1), 0,
                               input)[0] == of_row);
  }
  return products;
}

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

TEST_CASE("blends are those of doubles, and each is the same beside others") {
  for (const Matrix& matrix : matrices(150)) {
    if (loops(*levels().front(), matrix.format).blend == nullptr) continue;
    constexpr std::int64_t blends = 11;
    const std::vector<float> weights = random_floats(blends * matrix.rows, 11);
    for (const Level* level : levels()) {
      CAPTURE(described(*level, matrix));
      const auto blend = [&](std::int64_t first, std::int64_t count) {
        std::vector<float> sums(static_cast<std::size_t>(count * matrix.columns));
        loops(*level, matrix.format)
            .blend({matrix.row.data(), matrix.rows, matrix.columns, weights.data() + first * matrix.rows, count,
                    sums.data()});
        return sums;
      };
      const std::vector<float> all = blend(0, blends);
      double worst = 0;
      std::int64_t wrong = 0;
      for (std::int64_t b = 0; b < blends; ++b) {
        const std::vector<float> alone = blend(b, 1);
        for (std::int64_t c = 0; c < matrix.columns; ++c) {
          double sum = 0, size = 1e-30;
          for (std::int64_t r = 0; r < matrix.rows; ++r) {
            const double part =
                static_cast<double>(weights[static_cast<std::size_t>(b * matrix.rows + r)]) * matrix.elements_of(r)[c];
            sum += part;
            size += std::abs(part);
          }
          const float blended = all[static_cast<std::size_t>(b * matrix.columns + c)];
          worst = worse(worst, std::abs(blended - sum) / size);
          wrong += blended != alone[static_cast<std::size_t>(c)];
        }
      }
      CHECK(worst < 5e-7);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("f16 and bf16 that are no finite numbers stay what they are") {
  for (const Level* level : levels()) {
    CAPTURE(level->name);
    const float one = 1;
    const float* const input = &one;
    constexpr float infinite = std::numeric_limits<float>::infinity();
    struct Stored {
      RowFormat format;
      std::uint16_t bits;
      float value;
    };
    for (const auto& [format, bits, value] :
         {Stored{RowFormat::f16, 0x7c00, infinite}, Stored{RowFormat::f16, 0xfc00, -infinite},
          Stored{RowFormat::bf16, 0x7f80, infinite}, Stored{RowFormat::f16, 0x7e00, std::nanf("")},
          Stored{RowFormat::bf16, 0xffc0, std::nanf("")}}) {
      const auto* const row = reinterpret_cast<const std::byte*>(&bits);
      float sum = 0;
      loops(*level, format).multiply({&row, 1, 1, &input, 1, &sum});
      CHECK(std::isnan(sum) == std::isnan(value));
      if (!std::isnan(value)) CHECK(sum == value);
    }
  }
}

TEST_CASE("powers of e are within two units in the last place") {
  for (const Level* level : levels()) {
    CAPTURE(level->name);
    for (const std::int64_t count : {1, 7, 16, 1001}) {
      std::vector<float> values = random_floats(count, 2);
      for (float& value : values) value = 3 - 43 * (1 + value);
      values[0] = 3;
      std::vector<float> powers = values;
      const float sum = level->exponentials(powers.data(), count, 3);
      double expected_sum = 0, worst = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = std::exp(static_cast<double>(values[i] - 3.0f));
        expected_sum += expected;
        worst = worse(worst, std::abs(powers[i] - expected) / expected);
      }
      CHECK(worst < 0x1p-22);
      CHECK(sum == doctest::Approx(expected_sum).epsilon(1e-6));
    }
    float apart[] = {0, -200, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
    level->exponentials(apart, 4, 0);
    CHECK(apart[0] == 1);
    CHECK(apart[1] == 0);
    CHECK(apart[2] == 0);
    CHECK(std::isnan(apart[3]));
  }
}
