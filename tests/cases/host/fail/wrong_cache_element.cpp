#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::Buffers& buffers, const tiny::LayerCache& cache) {
  const tiny::Cache<tiny::keys, tiny::f32, tiny::kv_heads, tiny::positions, tiny::head> keys{};
  // expect: attention_prefill: this cache is keys (f32 kv_heads x positions x head); keys (f16 kv_heads x positions x head) is required here
  tiny::attention_prefill(record, buffers.queries, keys, cache.values, buffers.attended);
}
