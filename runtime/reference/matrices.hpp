// Matrices of the model applied to activations: token and position embeddings, and linear layers. A weight is named by
// its tensor id; `absent` stands for a bias that the model does not have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/reference/activations.hpp"
#include "runtime/weights.hpp"

namespace monomorph::reference {

inline constexpr std::int32_t absent = -1;

/// One row of a weight, as double.
template <std::int64_t columns>
std::vector<double> weight_row(const HostWeights& weights, std::int32_t tensor, std::int64_t row = 0) {
  std::vector<float> values(columns);
  weights.row(tensor, row, values);
  return {values.begin(), values.end()};
}

/// Row tokens[t] of the table for each token. Tokens are within the vocabulary.
template <std::int64_t vocab_size, std::int64_t columns>
Activations<columns> embed(const HostWeights& weights, std::int32_t table, std::span<const std::int32_t> tokens) {
  Activations<columns> h(static_cast<std::int64_t>(tokens.size()));
  for (std::int64_t t = 0; t < h.tokens(); ++t) {
    const std::vector<double> row = weight_row<columns>(weights, table, tokens[static_cast<std::size_t>(t)]);
    std::copy(row.begin(), row.end(), h.row(t).begin());
  }
  return h;
}

/// h[t] += table[first_position + t]: learned absolute positions.
template <std::int64_t positions, std::int64_t columns>
void add_positions(const HostWeights& weights, std::int32_t table, std::int64_t first_position,
                   Activations<columns>& h) {
  for (std::int64_t t = 0; t < h.tokens(); ++t) {
    const std::vector<double> row = weight_row<columns>(weights, table, first_position + t);
    const std::span<double, columns> out = h.row(t);
    for (std::int64_t i = 0; i < columns; ++i) out[i] += row[i];
  }
}

/// W x + bias, with W of [rows, columns]. A row of W is decoded once and used for every token.
template <std::int64_t rows, std::int64_t columns>
Activations<rows> linear(const HostWeights& weights, std::int32_t tensor, std::int32_t bias,
                         const Activations<columns>& x) {
  const std::int64_t tokens = x.tokens();
  Activations<rows> y(tokens);
  const std::vector<double> offsets = bias == absent ? std::vector<double>(rows, 0.0) : weight_row<rows>(weights, bias);
  parallel_for(rows, rows * columns * tokens, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> stored(columns);
    std::vector<double> row(columns);
    for (std::int64_t r = begin; r < end; ++r) {
      weights.row(tensor, r, stored);
      std::copy(stored.begin(), stored.end(), row.begin());
      for (std::int64_t t = 0; t < tokens; ++t) y.row(t)[r] = offsets[r] + dot<columns>(row.data(), x.row(t).data());
    }
  });
  return y;
}

}  // namespace monomorph::reference
