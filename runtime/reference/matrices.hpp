// Matrices of the model applied to activations: rows of tables, and linear layers. A weight is named by its id;
// `absent` stands for a bias that the model does not have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/reference/activations.hpp"
#include "runtime/reference/parallel.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::reference {

inline constexpr std::int32_t absent = -1;

/// One row of a weight, as double.
template <std::int64_t columns>
std::vector<double> weight_row(const HostWeights& weights, std::int32_t weight, std::int64_t row = 0) {
  std::vector<float> values(columns);
  weights.row(weight, row, values);
  return {values.begin(), values.end()};
}

/// Row indices[t] + offset of the table for each t, which is within it.
template <std::int64_t columns, std::int64_t offset = 0, class Indices>
Activations<columns> gather(const HostWeights& weights, std::int32_t table, const Indices& indices) {
  Activations<columns> h(static_cast<std::int64_t>(indices.size()));
  for (std::int64_t t = 0; t < h.tokens(); ++t) {
    const std::vector<double> row = weight_row<columns>(weights, table, indices[static_cast<std::size_t>(t)] + offset);
    std::copy(row.begin(), row.end(), h.row(t).begin());
  }
  return h;
}

/// Row indices[t] of h for each t.
template <std::int64_t columns>
Activations<columns> gather_rows(const Activations<columns>& h, std::span<const std::int64_t> indices) {
  Activations<columns> rows(static_cast<std::int64_t>(indices.size()));
  for (std::int64_t t = 0; t < rows.tokens(); ++t) {
    const auto row = h.row(indices[static_cast<std::size_t>(t)]);
    std::copy(row.begin(), row.end(), rows.row(t).begin());
  }
  return rows;
}

/// The mean of all rows of h, for each index.
template <std::int64_t columns>
Activations<columns> mean_of_rows(const Activations<columns>& h, std::span<const std::int64_t> indices) {
  Activations<columns> means(static_cast<std::int64_t>(indices.size()));
  for (std::int64_t t = 0; t < means.tokens(); ++t) {
    for (std::int64_t row = 0; row < h.tokens(); ++row) {
      for (std::int64_t c = 0; c < columns; ++c) means.row(t)[c] += h.row(row)[c];
    }
    for (std::int64_t c = 0; c < columns; ++c) means.row(t)[c] /= static_cast<double>(h.tokens());
  }
  return means;
}

/// W x + bias, with W of [rows, columns]. A row of W is decoded once and used for every token.
template <std::int64_t rows, std::int64_t columns>
Activations<rows> linear(const HostWeights& weights, std::int32_t weight, std::int32_t bias,
                         const Activations<columns>& x) {
  const std::int64_t tokens = x.tokens();
  Activations<rows> y(tokens);
  const std::vector<double> offsets = bias == absent ? std::vector<double>(rows, 0.0) : weight_row<rows>(weights, bias);
  parallel_for(rows, rows * columns * tokens, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> stored(columns);
    std::vector<double> row(columns);
    for (std::int64_t r = begin; r < end; ++r) {
      weights.row(weight, r, stored);
      std::copy(stored.begin(), stored.end(), row.begin());
      for (std::int64_t t = 0; t < tokens; ++t) y.row(t)[r] = offsets[r] + dot<columns>(row.data(), x.row(t).data());
    }
  });
  return y;
}

}  // namespace monomorph::reference
