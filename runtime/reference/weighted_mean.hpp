// Means of the reference over all that a slot has had, which weigh less the longer ago it was (RWKV-4, Peng et al.
// 2023).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/reference/recurrence.hpp"

namespace monomorph::reference {

/// For each token t and column c, with d = log_decay(decays[c]):
///   y = (sum_{i<t} exp(w_i + (t - 1 - i) d) v_i + exp(w_t + bonus[c]) v_t) / (the same without values)
/// Logarithms of weights w, values v and the result: [tokens, columns]; decays and bonus: [columns]. The state has of
/// each column the sum of weighted values, that of weights, and the exponent that both lack as a factor.
template <std::int64_t columns, class LogDecay>
Activations<columns> weighted_mean(const LogDecay& log_decay, RecurrentState& state,
                                   const Activations<columns>& log_weights, const Activations<columns>& values,
                                   const std::vector<double>& decays, const std::vector<double>& bonus,
                                   std::int64_t first_position) {
  const std::int64_t tokens = values.tokens();
  std::vector<double>& sums =
      state.begin(first_position, first_position + tokens, static_cast<std::size_t>(3 * columns));
  Activations<columns> y(tokens);
  for (std::int64_t c = 0; c < columns; ++c) {
    const auto column = static_cast<std::size_t>(c);
    double &weighted = sums[3 * column], &weights = sums[3 * column + 1], &exponent = sums[3 * column + 2];
    if (first_position == 0) exponent = -std::numeric_limits<double>::infinity();
    for (std::int64_t t = 0; t < tokens; ++t) {
      const double weight = log_weights.row(t)[column], value = values.row(t)[column];
      const double seen = std::max(exponent, weight + bonus[column]);
      const double past = std::exp(exponent - seen), own = std::exp(weight + bonus[column] - seen);
      y.row(t)[column] = (past * weighted + own * value) / (past * weights + own);
      const double left = exponent + log_decay(decays[column]), next = std::max(left, weight);
      weighted = std::exp(left - next) * weighted + std::exp(weight - next) * value;
      weights = std::exp(left - next) * weights + std::exp(weight - next);
      exponent = next;
    }
  }
  return y;
}

}  // namespace monomorph::reference
