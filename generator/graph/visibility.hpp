// Which keys a query sees: the one condition that kernels and the reference are written from.
#pragma once

#include "generator/graph/op.hpp"

namespace monomorph::generator {

/// Of query and key, for keys up to the query's own: the mask and the window, both. Empty: it sees every one.
Expression visibility(const Attention& attention);

/// `visible`, and that the key does not come after the query: so it holds of any key.
Expression causal(const Expression& visible);

/// Whether a mask may hide keys between others that are seen: the window alone hides none.
bool has_holes(const Attention& attention);

}  // namespace monomorph::generator
