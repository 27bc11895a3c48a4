#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::Weights& weights, const tiny::Buffers& buffers) {
  // expect: final_norm_decode: this weight is post_attention_layernorm (hidden); final_norm (hidden) is required here
  tiny::final_norm_decode(record, weights.layers[1].post_attention_layernorm, buffers.hidden_state);
}
