// A limit of what types tell, and no design: activations of equal axes can be exchanged, as docs/design.md says. Once
// they have roles as weights do, this file belongs into fail/.
#include "tiny/forward.hpp"

void attention(monomorph::Recorder& record, const tiny::LayerCache& cache) {
  using namespace tiny::buffers;
  tiny::attention_prefill(record, attended, cache.keys, cache.values, queries);
}
