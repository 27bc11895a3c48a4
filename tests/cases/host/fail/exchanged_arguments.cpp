// Each of two arguments stands where the other belongs: that is one mistake.
#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: o_proj_add_prefill: hidden_states (tokens x hidden) and attention::attended (tokens x q) stand in each other's place
  o_proj_add_prefill(record, layer.attention.o_proj, tiny::buffers::hidden_states, tiny::buffers::attention::attended);
}
