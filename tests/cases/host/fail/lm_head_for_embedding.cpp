#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::Weights& weights, const tiny::Buffers& buffers) {
  // expect: embed_prefill: this weight is lm_head (vocab x hidden); embed_tokens (vocab x hidden) is required here
  tiny::embed_prefill(record, weights.lm_head, buffers.hidden_states);
}
