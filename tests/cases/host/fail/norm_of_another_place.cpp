#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer, const tiny::Buffers& buffers) {
  // expect: gate_up_prefill: this weight is input_layernorm (hidden); post_attention_layernorm (hidden) is required here
  gate_up_prefill(record, layer.input_layernorm, layer.gate_proj, layer.up_proj, buffers.hidden_states, buffers.activated);
}
