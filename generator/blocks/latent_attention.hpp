// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): keys and values of all heads are made of one short
// vector of each token, which is what a slot remembers, beside one rotated key that the heads share.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct LatentAttentionSection {
  Field<std::int64_t> num_attention_heads;
  Field<std::int64_t> q_lora_rank;       ///< elements that queries are made of; absent: of what the sub-block reads
  Field<std::int64_t> kv_lora_rank;      ///< elements that keys and values are made of
  Field<std::int64_t> qk_nope_head_dim;  ///< of a query and a key, the elements that are not rotated
  Field<std::int64_t> qk_rope_head_dim;  ///< those that are
  Field<std::int64_t> v_head_dim;        ///< of a value
  Field<std::string> scale;              ///< an expression of the spec's numbers
  Field<Biases> bias;                    ///< of q_down, kv_down, k_rope, o
  Field<NormChoice> latent_norm;         ///< of what q_down and kv_down give; default true
  Field<PositionChoice> position;        ///< as [position] says, or not
};

BlockType latent_attention_block();

}  // namespace monomorph::generator
