// Elementwise parts of the CPU reference: activation functions and combinations (written out by the emitter as lambdas
// over runtime/reference/numerics.hpp), the residual addition, and a range of columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/reference/activations.hpp"
#include "runtime/reference/numerics.hpp"

namespace monomorph::reference {

/// function(x) of every element.
template <std::int64_t columns, class Function>
Activations<columns> activate(const Activations<columns>& x, const Function& function) {
  Activations<columns> y(x.tokens());
  std::transform(x.values.begin(), x.values.end(), y.values.begin(), function);
  return y;
}

/// function(gate, up) of every pair of elements.
template <std::int64_t columns, class Function>
Activations<columns> combine(const Activations<columns>& gate, const Activations<columns>& up,
                             const Function& function) {
  Activations<columns> y(gate.tokens());
  std::transform(gate.values.begin(), gate.values.end(), up.values.begin(), y.values.begin(), function);
  return y;
}

/// h += x.
template <std::int64_t columns>
void add(Activations<columns>& h, const Activations<columns>& x) {
  for (std::size_t i = 0; i < h.values.size(); ++i) h.values[i] += x.values[i];
}

/// Columns first_column... of every row: the queries, keys or values of a joint projection.
template <std::int64_t first_column, std::int64_t count, std::int64_t columns>
Activations<count> slice(const Activations<columns>& x) {
  static_assert(first_column >= 0 && first_column + count <= columns);
  Activations<count> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    std::copy_n(x.row(t).data() + first_column, count, y.row(t).data());
  }
  return y;
}

}  // namespace monomorph::reference
