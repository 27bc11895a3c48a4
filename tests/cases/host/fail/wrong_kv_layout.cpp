#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::Buffers& buffers, const tiny::LayerCache& cache) {
  const tiny::Cache<tiny::values, tiny::f16, tiny::positions, tiny::kv_heads, tiny::head> values{};
  // expect: attention_prefill: this cache is values (positions x kv_heads x head); values (kv_heads x positions x head) is required here
  attention_prefill(record, buffers.queries, cache.keys, values, buffers.attended);
}
