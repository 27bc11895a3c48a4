#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: down_proj_add_decode: this tensor is tokens x q; tokens x intermediate is required here
  tiny::down_proj_add_decode(record, layer.down_proj, tiny::buffers::attended, tiny::buffers::hidden_states);
}
