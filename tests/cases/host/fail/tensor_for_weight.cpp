#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  // expect: input_layernorm_prefill: this is a tensor, f32 tokens x hidden; a weight input_layernorm (f32 hidden) is required here
  tiny::input_layernorm_prefill(record, tiny::buffers::hidden_states, tiny::buffers::hidden_states, tiny::buffers::attention_input);
}
