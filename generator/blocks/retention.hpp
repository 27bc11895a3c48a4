// Linear attention whose heads remember a matrix each, which decays (retention, Sun et al. 2023; gated linear
// attention, Yang et al. 2023): a token adds the product of its key and its value, and its query reads what all have
// added.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct RetentionSection {
  Field<std::string> token_shift;       ///< none | token | before: what the numbers that mix are shares of
  Field<std::int64_t> mix_rank;         ///< of what is added to these numbers
  Field<std::string> decay_activation;  ///< of what decay_down gives, an expression of x
  Field<bool> bonus;                    ///< a token's own value has a weight of its own
  Field<bool> per_head;                 ///< each head has norm weights of its own
  Field<std::int64_t> num_heads;        ///< heads of queries, keys and values
  Field<std::int64_t> key_head_dim;     ///< elements of a query and of a key
  Field<std::int64_t> value_head_dim;   ///< elements of a value
  Field<std::string> qk_activation;     ///< of queries and keys, before they are turned
  Field<std::string> v_activation;      ///< of values
  Field<std::string> scale;             ///< of what queries read
  Field<PositionChoice> position;       ///< whether queries and keys are turned
  Field<std::string> decay;             ///< none | head | key: what the part decay gives a number for
  Field<std::int64_t> decay_rank;       ///< elements that these are made of; -1: they are made of what is read
  Field<std::string> log_decay;         ///< of these, of head and of layer; default: nothing decays
  Field<std::string> gate;              ///< none | element
  Field<std::string> gate_activation;   ///< of the gate
  Field<NormChoice> head_norm;          ///< of what each head gives, before the gate
  Field<NormChoice> inner_norm;         ///< of what all heads give together, before the gate
  Field<Biases> bias;                   ///< of q, k, v, decay, decay_down, decay, gate, o
};

BlockType retention_block();

}  // namespace monomorph::generator
