#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: input_layernorm_prefill: this weight is post_attention_layernorm (hidden); input_layernorm (hidden) is required here
  input_layernorm_prefill(record, layer.post_attention_layernorm, tiny::buffers::hidden_states, tiny::buffers::attention_input);
}
