// The time mixing of RWKV-7 (Peng et al. 2025, arXiv 2503.14456): heads that remember a matrix each, in which a token
// erases what its removal key reads, by rates of each element, and writes its own; values are mixed with those of an
// earlier layer.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct Rwkv7Section {
  Field<std::int64_t> num_heads;
  Field<std::int64_t> head_dim;    ///< elements of a query, a key and a value
  Field<std::string> log_decay;    ///< of x, what the part decay gives for each element of a key
  Field<std::int64_t> decay_rank;  ///< elements that decays are made of
  Field<std::int64_t> rate_rank;   ///< the same of rates
  Field<std::int64_t> gate_rank;   ///< the same of the gate
  Field<std::int64_t> value_rank;  ///< the same of shares of earlier values
  Field<std::string> values_from;  ///< a kind of layer, whose last layer before gives the values that are mixed in
  Field<NormChoice> head_norm;     ///< of what each head gives, with weights of each head
};

BlockType rwkv7_block();

}  // namespace monomorph::generator
