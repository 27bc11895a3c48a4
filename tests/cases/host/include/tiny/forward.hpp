// Typed kernels of the model in miniature, and what the host sees of it.
#pragma once

#include <cstdint>
#include <span>

#include "tiny/model.hpp"

namespace tiny {

inline void embed_prefill(monomorph::Recorder& record, const Weight<embed_tokens, f16, vocab, hidden>& weight,
                          const Tensor<f32, tokens, hidden>& hidden_states) {
  record.dispatch(0, {weight, hidden_states}, vocab::size, tokens::size);
}

inline void qkv_rope_prefill(monomorph::Recorder& record, const Weight<input_layernorm, f32, hidden>& norm,
                             const Weight<qkv_proj, f16, qkv, hidden>& weight,
                             const Tensor<f32, tokens, hidden>& hidden_states, const Tensor<f32, tokens, q>& queries,
                             const Cache<keys, f16, kv_heads, positions, head>& keys,
                             const Cache<values, f16, kv_heads, positions, head>& values) {
  record.dispatch(1, {norm, weight, hidden_states, queries, keys, values}, qkv::size, tokens::size);
}

inline void attention_prefill(monomorph::Recorder& record, const Tensor<f32, tokens, q>& queries,
                              const Cache<keys, f16, kv_heads, positions, head>& keys,
                              const Cache<values, f16, kv_heads, positions, head>& values,
                              const Tensor<f32, tokens, q>& attended) {
  record.dispatch(2, {queries, keys, values, attended}, kv_heads::size, tokens::size);
}

inline void o_proj_add_prefill(monomorph::Recorder& record, const Weight<o_proj, f16, hidden, q>& weight,
                               const Tensor<f32, tokens, q>& attended,
                               const Tensor<f32, tokens, hidden>& hidden_states) {
  record.dispatch(3, {weight, attended, hidden_states}, hidden::size, tokens::size);
}

inline void gate_up_prefill(monomorph::Recorder& record, const Weight<post_attention_layernorm, f32, hidden>& norm,
                            const Weight<gate_proj, f16, intermediate, hidden>& gate,
                            const Weight<up_proj, f16, intermediate, hidden>& up,
                            const Tensor<f32, tokens, hidden>& hidden_states,
                            const Tensor<f32, tokens, intermediate>& activated) {
  record.dispatch(4, {norm, gate, up, hidden_states, activated}, intermediate::size, tokens::size);
}

inline void down_proj_add_prefill(monomorph::Recorder& record,
                                  const Weight<down_proj, f16, hidden, intermediate>& weight,
                                  const Tensor<f32, tokens, intermediate>& activated,
                                  const Tensor<f32, tokens, hidden>& hidden_states) {
  record.dispatch(5, {weight, activated, hidden_states}, hidden::size, tokens::size);
}

inline void final_norm_decode(monomorph::Recorder& record, const Weight<final_norm, f32, hidden>& weight,
                              const Tensor<f32, one, hidden>& hidden_state) {
  record.dispatch(6, {weight, hidden_state}, 1, 1);
}

using Logits = std::span<const float, vocab::size>;

/// One sequence of the model, typed.
class Sequence {
 public:
  [[nodiscard]] Logits prefill(std::span<const std::int32_t> tokens);
  [[nodiscard]] Logits decode(std::int32_t token);
};

/// Index of the largest logit.
[[nodiscard]] std::int32_t likeliest(Logits logits);

}  // namespace tiny
