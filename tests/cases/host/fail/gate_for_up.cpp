#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer, const tiny::Buffers& buffers) {
  // expect: gate_up_prefill: this weight is gate_proj (intermediate x hidden); up_proj (intermediate x hidden) is required here
  gate_up_prefill(record, layer.post_attention_layernorm, layer.gate_proj, layer.gate_proj, buffers.hidden_states, buffers.activated);
}
