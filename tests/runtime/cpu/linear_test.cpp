// A matrix with rows of a pass, at every level that this processor runs: however many rows there are, and so in
// whichever way they are multiplied (runtime/cpu/kernels/matrices.hpp).
#include <doctest/doctest.h>

#include "runtime/cpu/interleave.hpp"
#include "runtime/cpu/kernels/matrices.hpp"
#include "tests/runtime/cpu/level_matrices.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

constexpr std::int64_t matrix_rows = 29, most_rows = 150;  // three eights and five; more than are multiplied at once

/// Parameters of a kernel, as the generator writes them, of a matrix without bias, norm or banks.
template <Dtype type, std::int64_t width>
struct Product {
  static constexpr std::string_view bindings[] = {"step", "weights", "inputs", "outputs"};
  static constexpr std::string_view dtype = row_of(type).name, norm = "none", stage = "layers";
  static constexpr std::int64_t columns = width, matrices = 1, sum_count = 1;
  static constexpr std::int64_t outputs_stride = matrix_rows, outputs_column = 0;
  static constexpr bool banked = false, segments = false, in_place = false, picked_rows = false;
  static constexpr bool first_bias = false, second_bias = false, reads_output = false;
  using operands = List<>;
  static float output(float sum, float, float, const float*) { return sum; }
};

/// By how much the worst product of so many rows is off, as a share of the sum of its terms' sizes.
template <class P>
double worst_of(const Level& level, const Matrix& weights, std::span<const float> inputs, bool invariant) {
  constexpr Dtype type = dtype_named(P::dtype);
  constexpr std::int64_t row_bytes = file_row_bytes(type, P::columns);
  const std::int64_t rows = std::ssize(inputs) / P::columns;
  std::vector<std::byte> stored = weights.bytes;
  const std::int64_t eights = Linear<P>::interleaves(level) ? matrix_rows / interleaved_rows : 0;
  if (eights > 0) interleave(type, weights.bytes.data(), eights * interleaved_rows, row_bytes, stored.data());
  std::vector<const std::byte*> begins;
  for (std::int64_t r = 0; r < matrix_rows; ++r) {
    begins.push_back(stored.data() +
                     (r < eights * interleaved_rows ? r / interleaved_rows * interleaved_rows : r) * row_bytes);
  }
  std::vector<float> given(inputs.begin(), inputs.end()), outputs(static_cast<std::size_t>(rows * matrix_rows));
  const Argument arguments[] = {
      {},
      {.data = stored.data(), .rows = begins.data(), .interleaved = eights * interleaved_rows},
      {.data = reinterpret_cast<std::byte*>(given.data())},
      {.data = reinterpret_cast<std::byte*>(outputs.data())}};
  const Pass pass{.token_count = rows};
  const Call call{.pass = pass, .level = level, .invariant = invariant, .arguments = arguments, .rows = matrix_rows};
  for (std::int64_t unit = 0; unit < Linear<P>::units(call); ++unit) Linear<P>::run(call, unit, unit + 1);
  double worst = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t r = 0; r < matrix_rows; ++r) {
      const float product = outputs[static_cast<std::size_t>(row * matrix_rows + r)];
      worst = worse(worst, error_of(product, weights, r, inputs.data() + row * P::columns));
    }
  }
  return worst;
}

template <class P>
void check() {
  const Matrix weights = matrix_of(dtype_named(P::dtype), matrix_rows, P::columns);
  const std::vector<float> inputs = random_floats(most_rows * P::columns, 3);
  for (const Level* level : levels_here()) {
    for (const std::int64_t rows : {1L, 3L, 10L, 14L, 50L, most_rows}) {
      for (const bool invariant : {false, true}) {
        CAPTURE(level->name);
        CAPTURE(P::dtype);
        CAPTURE(rows);
        CAPTURE(invariant);
        const std::span<const float> some(inputs.data(), static_cast<std::size_t>(rows * P::columns));
        CHECK(worst_of<P>(*level, weights, some, invariant) < 5e-7);
      }
    }
  }
}

}  // namespace

TEST_CASE("any number of a pass's rows is multiplied as in doubles, whichever way is taken") {
  check<Product<Dtype::f16, 300>>();
  check<Product<Dtype::q8_0, 320>>();
  check<Product<Dtype::q4_0, 320>>();
  check<Product<Dtype::q6_k, 512>>();
}
