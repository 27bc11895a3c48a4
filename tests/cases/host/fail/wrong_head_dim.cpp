#include "tiny/forward.hpp"

struct wide_head {
  static constexpr std::int64_t size = 64;
};

void host(monomorph::Recorder& record, const tiny::LayerCache& cache) {
  const tiny::Cache<tiny::roles::keys, tiny::f16, tiny::kv_heads, tiny::positions, wide_head> keys{};
  // expect: attention_prefill: this cache is keys (kv_heads x positions x wide_head); keys (kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::queries, keys, cache.values, tiny::buffers::attended);
}
