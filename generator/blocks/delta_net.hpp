// The gated delta rule (Yang, Kautz and Hatamizadeh 2024; by channels, Kimi Linear 2025): heads of a matrix each, which
// forgets, and in which a token replaces a part, beta, of what its key reads by its value.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct DeltaNetSection {
  Field<std::int64_t> num_key_heads;    ///< heads of queries and keys
  Field<std::int64_t> num_value_heads;  ///< heads of values, of which neighbours share queries and keys
  Field<std::int64_t> key_head_dim;     ///< elements of a query and a key
  Field<std::int64_t> value_head_dim;   ///< elements of a value
  Field<std::int64_t> conv_kernel;      ///< positions that the convolutions see, the token's own among them
  Field<std::string> activation;        ///< of what is convolved
  Field<double> qk_norm_eps;            ///< added to the sum of squares of a query and of a key
  Field<std::string> beta;              ///< what becomes of the projection of this name
  Field<std::string> decay;             ///< none | head | key: what decays by itself
  Field<std::string> decay_rates;       ///< log | negative
  Field<std::int64_t> decay_rank;       ///< elements that decays are made of; -1: decays are made of what is read
  Field<std::string> gate;              ///< none | element
  Field<std::int64_t> gate_rank;        ///< elements that the gate is made of; -1: it is made of what is read
  Field<std::string> gate_activation;   ///< of the gate
  Field<NormChoice> head_norm;          ///< of what each head gives, before the gate
  Field<Biases> bias;                   ///< of projections and convolutions
};

BlockType delta_net_block();

}  // namespace monomorph::generator
