// Activations of the reference: a row of doubles a token, whose width is part of the type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace monomorph::reference {

/// [tokens, columns], row by row. Stays in double from one operation to the next.
template <std::int64_t columns>
struct Activations {
  std::vector<double> values;

  explicit Activations(std::int64_t tokens) : values(static_cast<std::size_t>(tokens * columns)) {}
  std::int64_t tokens() const { return static_cast<std::int64_t>(values.size()) / columns; }
  std::span<double, columns> row(std::int64_t token) {
    return std::span<double, columns>(values.data() + token * columns, columns);
  }
  std::span<const double, columns> row(std::int64_t token) const {
    return std::span<const double, columns>(values.data() + token * columns, columns);
  }
};

/// Rows of doubles as activations.
template <std::int64_t columns>
Activations<columns> activations_of(std::span<const double> rows) {
  Activations<columns> x(static_cast<std::int64_t>(rows.size()) / columns);
  std::copy(rows.begin(), rows.end(), x.values.begin());
  return x;
}

/// Of so many tokens; all are 0 where none are given.
inline std::vector<std::int32_t> types_of_tokens(std::span<const std::int32_t> types, std::size_t count) {
  std::vector<std::int32_t> result(types.begin(), types.end());
  result.resize(count);
  return result;
}

/// first, first + 1, ...
inline std::vector<std::int64_t> positions_from(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> positions(count);
  for (std::size_t i = 0; i < count; ++i) positions[i] = first + static_cast<std::int64_t>(i);
  return positions;
}

/// Sum of a[i] * b[i]. Eight partial sums in a fixed order: the compiler may use vectors of any width and the result
/// has the same bits.
template <std::int64_t size>
double dot(const double* a, const double* b) {
  double sums[8] = {};
  constexpr std::int64_t whole = size / 8 * 8;
  for (std::int64_t i = 0; i < whole; i += 8) {
    for (std::int64_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (std::int64_t i = whole; i < size; ++i) sums[i - whole] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace monomorph::reference
