// The recurrent block of Griffin (De et al. 2024): a convolution, a real-gated linear recurrent unit of each element,
// whose gates are made head by head, and a gate of what it gives.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct RgLruSection {
  Field<std::int64_t> num_heads;       ///< heads that gates are made in
  Field<std::int64_t> head_dim;        ///< elements of a head
  Field<std::int64_t> conv_kernel;     ///< positions that the convolution sees, the token's own among them
  Field<double> decay_scale;           ///< c of -c * recurrence_gate * softplus(lambda), the logarithm of a decay
  Field<std::string> gate_activation;  ///< of the gate
  Field<Biases> bias;                  ///< of x, gate, conv, input_gate, recurrence_gate, o
};

BlockType rg_lru_block();

}  // namespace monomorph::generator
