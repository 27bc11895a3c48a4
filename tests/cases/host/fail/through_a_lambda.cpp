// A generic lambda is made for each type that it is called with: the mistake is reported where it was written.
#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  const auto project = [&](const auto& attended) {
    // expect: o_proj_add_prefill: this tensor is mlp::activated (tokens x intermediate); attention::attended (tokens x q) is required here
    o_proj_add_prefill(record, layer.attention.o_proj, attended, tiny::buffers::hidden_states);
  };
  project(tiny::buffers::attention::attended);
  project(tiny::buffers::mlp::activated);
}
