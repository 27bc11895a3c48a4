#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer, const tiny::Buffers& buffers) {
  // expect: o_proj_add_prefill: 3 arguments are given; 4 are required here (record, weight, attended, hidden_states)
  o_proj_add_prefill(record, layer.o_proj, buffers.attended);
}
