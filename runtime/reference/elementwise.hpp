// Elementwise parts of the CPU reference: an expression of values of one shape, written out by the emitter as a lambda
// over runtime/reference/numerics.hpp.
#pragma once

#include <cstdint>

#include "runtime/reference/activations.hpp"
#include "runtime/reference/numerics.hpp"

namespace monomorph::reference {

/// function(x, others...) of every element.
template <class Function, std::int64_t columns, class... Others>
Activations<columns> map(const Function& function, const Activations<columns>& x, const Others&... others) {
  Activations<columns> y(x.tokens());
  for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = function(x.values[i], others.values[i]...);
  return y;
}

}  // namespace monomorph::reference
