#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerCache& cache) {
  // expect: attention_prefill: this cache is keys (kv_heads x positions x head); values (kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::queries, cache.keys, cache.keys, tiny::buffers::attended);
}
