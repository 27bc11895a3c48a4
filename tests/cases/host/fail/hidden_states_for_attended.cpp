#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: o_proj_add_prefill: this tensor is hidden_states (tokens x hidden); attention::attended (tokens x q) is required here
  o_proj_add_prefill(record, layer.attention.o_proj, tiny::buffers::hidden_states, tiny::buffers::hidden_states);
}
