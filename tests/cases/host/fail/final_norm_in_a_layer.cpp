#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  // expect: post_attention_layernorm_prefill: this weight is final_norm (hidden); post_attention_layernorm (hidden) is required here
  tiny::post_attention_layernorm_prefill(record, tiny::weights.final_norm, tiny::buffers::hidden_states, tiny::buffers::mlp_input);
}
