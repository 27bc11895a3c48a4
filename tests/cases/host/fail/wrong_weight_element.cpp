#include "tiny/forward.hpp"

void host(const tiny::LayerWeights& layer) {
  // expect: this weight is down_proj (f16 hidden x intermediate); down_proj (bf16 hidden x intermediate) is required here
  const tiny::Weight<tiny::down_proj, tiny::bf16, tiny::hidden, tiny::intermediate> down_proj = layer.down_proj;
  (void)down_proj;
}
