#include "tiny/forward.hpp"

struct wide_head {
  static constexpr std::int64_t size = 64;
};

void host(monomorph::Recorder& record, const tiny::LayerStates& states) {
  const tiny::State<tiny::roles::attention::keys, tiny::f16, tiny::slots, tiny::kv_heads, tiny::positions, wide_head> keys{};
  // expect: attention_prefill: this state is attention::keys (slots x kv_heads x positions x wide_head); attention::keys (slots x kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::attention::queries_turned, keys, states.attention.values, tiny::buffers::attention::attended);
}
