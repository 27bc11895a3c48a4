// The mistake shows only once the template is made for a type: it is reported once, where the user wrote it.
#include "tiny/forward.hpp"

template <class Attended>
void project(monomorph::Recorder& record, const tiny::LayerWeights& layer, const Attended& attended) {
  // expect: o_proj_add_prefill: this tensor is mlp::activated (tokens x intermediate); attention::attended (tokens x q) is required here
  o_proj_add_prefill(record, layer.attention.o_proj, attended, tiny::buffers::hidden_states);
}

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  project(record, layer, tiny::buffers::attention::attended);
  project(record, layer, tiny::buffers::mlp::activated);
}
