#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer, const tiny::Buffers& buffers) {
  // expect: down_proj_add_prefill: this tensor is tokens x q; tokens x intermediate is required here
  tiny::down_proj_add_prefill(record, layer.down_proj, buffers.attended, buffers.hidden_states);
}
