// Query heads where key-value heads belong: right by chance where every head has its own keys.
#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerCache& cache) {
  const tiny::Cache<tiny::roles::keys, tiny::f16, tiny::heads, tiny::positions, tiny::head> keys{};
  // expect: attention_prefill: this cache is keys (heads x positions x head); keys (kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::queries, keys, cache.values, tiny::buffers::attended);
}
