// Norms of the reference against their formulas, for rows so small that eps is what counts: under the root.
#include "runtime/reference/norms.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/runtime/reference/example_programs.hpp"

using namespace monomorph;
using namespace monomorph::reference;

namespace {

constexpr std::int64_t columns = 9;
constexpr double eps = 1e-6;

/// Weight 0 and bias 1, and weight 2 of a third of their length, random.
HostWeights vectors() {
  static const std::array patterns{test::vector("weight", columns), test::vector("bias", columns),
                                   test::vector("head", columns / 3)};
  static const std::array groups{WeightGroup{patterns, {}, {}}};
  Program program{};
  program.name = "norms";
  program.weights = groups;
  return HostWeights::random(program, 3);
}

Activations<columns> row(double scale) {
  Activations<columns> x(1);
  for (std::int64_t i = 0; i < columns; ++i) x.values[static_cast<std::size_t>(i)] = scale * std::sin(1.0 + 2.7 * i);
  return x;
}

void check(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("an RMS norm of a row and of each head is x / sqrt(mean of squares + eps) * weight") {
  const HostWeights weights = vectors();
  for (const double scale : {2.0, 1e-3, 1e-5, 0.0}) {
    CAPTURE(scale);
    const Activations<columns> x = row(scale);
    const auto expected = [&](std::int64_t size, std::int32_t weight) {
      std::vector<double> want;
      for (std::int64_t i = 0; i < columns; ++i) {
        double square = 0;
        for (std::int64_t j = 0; j < size; ++j) square += std::pow(x.row(0)[i / size * size + j], 2) / size;
        want.push_back(x.row(0)[i] / std::sqrt(square + eps) * weights.at(weight, 0, i % size));
      }
      return want;
    };
    check(rms_norm<columns>(weights, 0, x, eps).values, expected(columns, 0));
    check(rms_norm<columns / 3>(weights, 2, x, eps).values, expected(columns / 3, 2));
  }
}

TEST_CASE("a LayerNorm is (x - mean) / sqrt(variance + eps) * weight + bias") {
  const HostWeights weights = vectors();
  for (const double scale : {2.0, 1e-3, 1e-5, 0.0}) {
    CAPTURE(scale);
    const Activations<columns> x = row(scale);
    double mean = 0, square = 0;
    for (const double value : x.values) {
      mean += value / columns;
      square += value * value / columns;
    }
    std::vector<double> with, without;
    for (std::int64_t i = 0; i < columns; ++i) {
      // The variance as the mean of squares less the square of the mean: another way than the reference's.
      without.push_back((x.values[static_cast<std::size_t>(i)] - mean) / std::sqrt(square - mean * mean + eps) *
                        weights.at(0, 0, i));
      with.push_back(without.back() + weights.at(1, 0, i));
    }
    check(layer_norm<columns>(weights, 0, 1, x, eps).values, with);
    check(layer_norm<columns>(weights, 0, absent, x, eps).values, without);
  }
}
