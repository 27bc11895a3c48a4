// Mamba-2's state space (SSD, Dao and Gu 2024): heads of a matrix each, which decays by exp(dt * a), a number of the
// head, and takes dt * b (x) x of each token; c reads it. Neighbouring heads share b and c.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct Mamba2Section {
  Field<std::int64_t> num_heads;       ///< heads of the inner width
  Field<std::int64_t> head_dim;        ///< elements of each
  Field<std::int64_t> num_groups;      ///< groups of heads that share b and c
  Field<std::int64_t> state_size;      ///< numbers that each element remembers
  Field<std::int64_t> conv_kernel;     ///< positions that the convolutions see, the token's own among them
  Field<std::string> activation;       ///< of what is convolved
  Field<std::string> gate_activation;  ///< of the gate
  Field<std::string> decay_rates;      ///< log | negative
  Field<double> gate_scale, x_scale, b_scale, c_scale, dt_scale;  ///< what these projections give is multiplied by
  Field<double> time_step_min, time_step_max;                     ///< that time steps are cut to
  Field<NormChoice> inner_norm;                                   ///< of what o reads
  Field<std::int64_t> num_norm_groups;                            ///< runs of it that are normed, each by itself
  Field<bool> norm_before_gate;  ///< it is normed before the gate multiplies it, not after
  Field<Biases> bias;            ///< of gate, x, b, c, dt, conv_x, conv_b, conv_c, o
};

BlockType mamba2_block();

}  // namespace monomorph::generator
