#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: gate_up_proj_prefill: this weight is mlp::gate_proj (intermediate x hidden); mlp::up_proj (intermediate x hidden) is required here
  gate_up_proj_prefill(record, layer.mlp.gate_proj, layer.mlp.gate_proj, tiny::buffers::mlp::input, tiny::buffers::mlp::activated);
}
