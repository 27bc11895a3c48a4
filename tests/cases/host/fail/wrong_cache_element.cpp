#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerCache& cache) {
  const tiny::Cache<tiny::roles::keys, tiny::f32, tiny::kv_heads, tiny::positions, tiny::head> keys{};
  // expect: attention_prefill: this cache is keys (f32 kv_heads x positions x head); keys (f16 kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::queries, keys, cache.values, tiny::buffers::attended);
}
