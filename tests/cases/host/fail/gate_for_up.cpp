#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: gate_up_proj_prefill: this weight is gate_proj (intermediate x hidden); up_proj (intermediate x hidden) is required here
  gate_up_proj_prefill(record, layer.gate_proj, layer.gate_proj, tiny::buffers::mlp_input, tiny::buffers::activated);
}
