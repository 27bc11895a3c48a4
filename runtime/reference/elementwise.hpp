// Elementwise parts of the reference: an expression of values, element by element of the first, written out by the
// emitter as a lambda over runtime/reference/numerics.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "runtime/reference/activations.hpp"
#include "runtime/reference/numerics.hpp"

namespace monomorph::reference {

/// What element c of row t, of `columns` elements, is computed from: x has one for each run of them.
template <std::int64_t columns, std::int64_t size>
double element(const Activations<size>& x, std::int64_t t, std::int64_t c) {
  static_assert(columns % size == 0);
  return x.row(t)[static_cast<std::size_t>(c / (columns / size))];
}
/// The same of a weight, for every row.
template <std::int64_t columns>
double element(const std::vector<double>& x, std::int64_t, std::int64_t c) {
  return x[static_cast<std::size_t>(c / (columns / static_cast<std::int64_t>(x.size())))];
}

/// function(x, others...) of every element.
template <class Function, std::int64_t columns, class... Others>
Activations<columns> map(const Function& function, const Activations<columns>& x, const Others&... others) {
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t c = 0; c < columns; ++c) {
      y.row(t)[static_cast<std::size_t>(c)] = function(element<columns>(x, t, c), element<columns>(others, t, c)...);
    }
  }
  return y;
}

/// Each row of x, and behind it that of y.
template <std::int64_t size, std::int64_t first, std::int64_t second>
Activations<size> concat(const Activations<first>& x, const Activations<second>& y) {
  static_assert(size == first + second);
  Activations<size> both(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    std::ranges::copy(x.row(t), both.row(t).begin());
    std::ranges::copy(y.row(t), both.row(t).begin() + first);
  }
  return both;
}

/// first - lambda * second, with lambda = exp(q1 . k1) - exp(q2 . k2) + initial (Ye et al. 2024).
template <std::int64_t columns>
Activations<columns> differential(const Activations<columns>& first, const Activations<columns>& second,
                                  const std::vector<double>& q1, const std::vector<double>& k1,
                                  const std::vector<double>& q2, const std::vector<double>& k2,
                                  const std::vector<double>& initial) {
  const auto exp_of = [](const std::vector<double>& q, const std::vector<double>& k) {
    return std::exp(std::inner_product(q.begin(), q.end(), k.begin(), 0.0));
  };
  const double lambda = exp_of(q1, k1) - exp_of(q2, k2) + initial.front();
  return map([&](double a, double b) { return a - lambda * b; }, first, second);
}

}  // namespace monomorph::reference
