#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: o_proj_add_prefill: 3 arguments are given; 4 are required here (record, o_proj, attended, hidden_states)
  o_proj_add_prefill(record, layer.attention.o_proj, tiny::buffers::attention::attended);
}
