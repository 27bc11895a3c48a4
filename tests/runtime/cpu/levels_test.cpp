// What every level that this processor runs computes: elements exactly, sums to the last bits of f32 and in one order,
// whatever is computed beside them.
#include <doctest/doctest.h>

#include <bit>

#include "tests/runtime/cpu/level_matrices.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

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
            const float given = sums[i * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(r)];
            worst = worse(worst, error_of(given, matrix, r, inputs[i]));
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
