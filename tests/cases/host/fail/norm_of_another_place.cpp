#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: attention_input_norm_prefill: this weight is mlp::input_norm (hidden); attention::input_norm (hidden) is required here
  attention_input_norm_prefill(record, layer.mlp.input_norm, tiny::buffers::hidden_states, tiny::buffers::attention::input);
}
