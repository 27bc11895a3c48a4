// Elementwise parts of the CPU reference: an expression of values, element by element of the first, written out by the
// emitter as a lambda over runtime/reference/numerics.hpp.
#pragma once

#include <cstdint>
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

}  // namespace monomorph::reference
