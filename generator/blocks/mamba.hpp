// Mamba's selective state space (S6, Gu and Dao 2023): each element of the inner width has a state of a few numbers,
// which decays by exp(dt * a) and takes dt * b * x of each token; c reads it.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct MambaSection {
  Field<std::int64_t> intermediate_size;  ///< elements of the inner width
  Field<std::int64_t> state_size;         ///< numbers of each element's state
  Field<std::int64_t> conv_kernel;        ///< positions that the convolution sees, the token's own among them
  Field<std::int64_t> time_step_rank;     ///< elements that the time steps are made of
  Field<std::string> activation;          ///< of what is convolved
  Field<std::string> gate_activation;     ///< of the gate
  Field<std::string> decay_rates;         ///< log | negative
  Field<NormChoice> parameter_norm;       ///< of what time steps are made of, of b and of c
  Field<Biases> bias;                     ///< of x, gate, conv, dt_down, b, c, dt_up, o
};

BlockType mamba_block();

}  // namespace monomorph::generator
