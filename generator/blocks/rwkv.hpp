// The time mixing of RWKV-4 (Peng et al. 2023): each element is the mean of all values up to the token's own, which
// keys weigh and time makes lighter, and a gate of it.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct RwkvSection {
  Field<std::int64_t> inner_size;      ///< elements of keys, values and gates
  Field<std::string> log_decay;        ///< of what a token leaves of a weight, of x, what the part decay has
  Field<std::string> gate_activation;  ///< of the gate
  Field<Biases> bias;                  ///< of k, v, gate, o
};

BlockType rwkv_block();

}  // namespace monomorph::generator
