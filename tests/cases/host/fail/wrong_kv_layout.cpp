#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerCache& cache) {
  const tiny::Cache<tiny::roles::values, tiny::f16, tiny::positions, tiny::kv_heads, tiny::head> values{};
  // expect: attention_decode: this cache is values (positions x kv_heads x head); values (kv_heads x positions x head) is required here
  attention_decode(record, tiny::buffers::queries, cache.keys, values, tiny::buffers::attended);
}
