// The MLP: down(activation(gate) * up), or down(activation(up)); perhaps as much of it as a gate lets through.
#pragma once

#include <optional>

#include "generator/blocks/mlp_unit.hpp"

namespace monomorph::generator {

struct MlpSection : MlpUnit {
  Field<NormChoice> inner_norm;      ///< of what down reads; default false
  Field<std::int64_t> adapter_rank;  ///< of adapters beside gate and up, which read one narrow vector
  Field<bool> output_gate;           ///< sigmoid of one row times the input multiplies what down gives
};

BlockType mlp_block();

/// The expression of x (plain), or of gate and up (gated), and of learned numbers; nothing where it is wrong.
std::optional<Expression> mlp_expression(const BlockContext& context, Diagnostics& diagnostics);

}  // namespace monomorph::generator
