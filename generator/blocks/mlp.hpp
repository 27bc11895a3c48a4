// The MLP: down(activation(gate) * up), or down(activation(up)).
#pragma once

#include <optional>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct MlpSection {
  Field<std::string> type;  ///< gated | plain
  Field<std::int64_t> intermediate_size;
  Field<std::string> activation;  ///< a name (silu, gelu, gelu_pytorch_tanh, gelu_new, relu ...) or an expression of x
  Field<std::string> combine;     ///< gated: an expression of gate and up; default activation(gate) * up
  Field<Biases> bias;             ///< of gate, up, down
  Field<NormChoice> inner_norm;   ///< of what down reads; default false
};

BlockType mlp_block();

/// The expression of x (plain), or of gate and up (gated), and of learned numbers, with named activations written out;
/// nothing where it is wrong.
std::optional<Expression> mlp_expression(const BlockContext& context, Diagnostics& diagnostics);

}  // namespace monomorph::generator
