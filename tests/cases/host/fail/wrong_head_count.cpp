// Query heads where key-value heads belong: right by chance where every head has its own keys.
#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerStates& states) {
  const tiny::State<tiny::roles::attention::keys, tiny::f16, tiny::slots, tiny::heads, tiny::positions, tiny::head> keys{};
  // expect: attention_prefill: this state is attention::keys (slots x heads x positions x head); attention::keys (slots x kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::attention::queries_turned, keys, states.attention.values, tiny::buffers::attention::attended);
}
