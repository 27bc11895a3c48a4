// Which row of `relative` a distance has: the one expression that kernels and the reference are written from.
#pragma once

#include "generator/graph/op.hpp"

namespace monomorph::generator {

/// Of the whole number `distance`, key - query, which has been cut at -back and ahead.
Expression row_of_distance(const Distances& distances);

}  // namespace monomorph::generator
