// Causal self-attention over the slot's keys and values.
#pragma once

#include "generator/blocks/block.hpp"

namespace monomorph::generator {

struct AttentionSection {
  Field<std::int64_t> num_attention_heads;
  Field<std::int64_t> num_key_value_heads;  ///< default: num_attention_heads
  Field<std::int64_t> head_dim;             ///< default: hidden_size / num_attention_heads
  Field<std::string> scale;                 ///< an expression of the spec's numbers; default 1 / sqrt(head_dim)
  Field<Biases> bias;                       ///< of q, k, v, o
  Field<std::string> qk_norm;               ///< none | head
};

BlockType attention_block();

}  // namespace monomorph::generator
