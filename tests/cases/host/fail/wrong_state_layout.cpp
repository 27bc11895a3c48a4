#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerStates& states) {
  const tiny::State<tiny::roles::attention::values, tiny::f16, tiny::slots, tiny::positions, tiny::kv_heads, tiny::head> values{};
  // expect: attention_decode: this state is attention::values (slots x positions x kv_heads x head); attention::values (slots x kv_heads x positions x head) is required here
  attention_decode(record, tiny::buffers::attention::queries_turned, states.attention.keys, values, tiny::buffers::attention::attended);
}
