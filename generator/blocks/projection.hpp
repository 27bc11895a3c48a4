// A matrix and nothing else: o(x).
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct ProjectionSection {
  Field<Biases> bias;  ///< of o
};

BlockType projection_block();

}  // namespace monomorph::generator
