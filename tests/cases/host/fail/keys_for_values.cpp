#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerStates& states) {
  // expect: attention_prefill: this state is attention::keys (slots x kv_heads x positions x head); attention::values (slots x kv_heads x positions x head) is required here
  tiny::attention_prefill(record, tiny::buffers::attention::queries_turned, states.attention.keys, states.attention.keys, tiny::buffers::attention::attended);
}
