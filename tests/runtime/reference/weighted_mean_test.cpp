// Weighted means of the reference against sums written out.
#include "runtime/reference/weighted_mean.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace monomorph;
using namespace monomorph::reference;

namespace {

/// The formula itself, of one column.
std::vector<double> written_out(const std::vector<double>& weights, const std::vector<double>& values, double decay,
                                double bonus) {
  std::vector<double> means;
  for (std::size_t t = 0; t < values.size(); ++t) {
    double sum = std::exp(weights[t] + bonus) * values[t], all = std::exp(weights[t] + bonus);
    for (std::size_t i = 0; i < t; ++i) {
      const double weight = std::exp(weights[i] - decay * static_cast<double>(t - 1 - i));
      sum += weight * values[i];
      all += weight;
    }
    means.push_back(sum / all);
  }
  return means;
}

std::vector<double> mean(RecurrentState& state, std::vector<double> weights, std::vector<double> values,
                         std::int64_t first, double decay = 0.5, double bonus = 0.25) {
  Activations<1> w(0), v(0);
  w.values = std::move(weights);
  v.values = std::move(values);
  const auto log_decay = [](double x) { return -x; };
  return weighted_mean<1>(log_decay, state, w, v, std::vector{decay}, std::vector{bonus}, first).values;
}

void check_near(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]));
}

}  // namespace

TEST_CASE("a mean weighs what is long ago less, and the token's own value by the bonus") {
  const std::vector<double> weights = {0, 1, -2, 3, 0.5}, values = {1, -1, 4, 0.5, 2};
  RecurrentState state;
  check_near(mean(state, weights, values, 0), written_out(weights, values, 0.5, 0.25));
  // In calls, and another sequence in the same slot.
  RecurrentState calls;
  std::vector<double> all = mean(calls, {0, 1}, {1, -1}, 0);
  for (const double each : mean(calls, {-2, 3, 0.5}, {4, 0.5, 2}, 2)) all.push_back(each);
  check_near(all, written_out(weights, values, 0.5, 0.25));
  check_near(mean(calls, {1}, {7}, 0), {7});
}

TEST_CASE("weights that no number can hold make the same means") {
  const std::vector<double> weights = {0, 1, -2, 3, 0.5}, values = {1, -1, 4, 0.5, 2};
  for (const double more : {2000.0, -2000.0}) {
    std::vector<double> moved = weights;
    for (double& weight : moved) weight += more;
    RecurrentState state;
    check_near(mean(state, moved, values, 0), written_out(weights, values, 0.5, 0.25));
  }
  RecurrentState forgets;
  check_near(mean(forgets, {0, -1000, -1000}, {1, 2, 3}, 0, 2000, 0), {1, 1, 2.5});
}
