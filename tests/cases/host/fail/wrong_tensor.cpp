#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: down_proj_add_decode: this tensor is attention::attended (tokens x q); mlp::activated (tokens x intermediate) is required here
  tiny::down_proj_add_decode(record, layer.mlp.down_proj, tiny::buffers::attention::attended, tiny::buffers::hidden_states);
}
