// A mixture of experts: MLPs of one shape, of which a router chooses some for each token, and the weighted sum of what
// they give.
#pragma once

#include "generator/blocks/mlp_unit.hpp"
#include "generator/blocks/router.hpp"

namespace monomorph::generator {

struct MoeSection : Router, MlpUnit {};

BlockType moe_block();

}  // namespace monomorph::generator
