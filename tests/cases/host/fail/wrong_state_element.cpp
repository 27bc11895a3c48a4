#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerStates& states) {
  const tiny::State<tiny::roles::attention::keys, tiny::f32, tiny::slots, tiny::kv_heads, tiny::positions, tiny::head> keys{};
  // expect: attention_prefill: this state is attention::keys (f32 slots x kv_heads x positions x head); attention::keys (f16 slots x kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::attention::queries_turned, keys, states.attention.values, tiny::buffers::attention::attended);
}
