// Mistakes of every kind in one file: all are reported, in order.
#include "tiny/engine.hpp"
#include "tiny/forward.hpp"

// expect: states of 1 KiB are not enough
static_assert(tiny::state_bytes <= 1024, "states of 1 KiB are not enough");

void host(monomorph::Recorder& record, tiny::Engine& engine) {
  using namespace tiny;
  using namespace tiny::buffers;
  const LayerWeights layer = layer_weights(0);
  const LayerStates states = layer_states(0);
  // expect: embed_prefill: this weight is lm_head (vocab x hidden); embedding::tokens (vocab x hidden) is required here
  embed_prefill(record, weights.lm_head, hidden_states);
  // expect: attention_prefill: attention::values (slots x kv_heads x positions x head) and attention::keys (slots x kv_heads x positions x head) stand in each other's place
  attention_prefill(record, attention::queries_turned, states.attention.values, states.attention.keys, attention::attended);
  // expect: o_proj_add_prefill: this tensor is hidden_states (tokens x hidden); attention::attended (tokens x q) is required here
  o_proj_add_prefill(record, layer.attention.o_proj, hidden_states, hidden_states);
  // expect: gate_up_proj_prefill: this weight is mlp::up_proj (intermediate x hidden); mlp::gate_proj (intermediate x hidden) is required here
  gate_up_proj_prefill(record, layer.mlp.up_proj, layer.mlp.up_proj, mlp::input, mlp::activated);
  // expect: down_proj_add_prefill: this weight is mlp::gate_proj (intermediate x hidden); mlp::down_proj (hidden x intermediate) is required here
  // expect: down_proj_add_prefill: this tensor is mlp::input (tokens x hidden); mlp::activated (tokens x intermediate) is required here
  down_proj_add_prefill(record, layer.mlp.gate_proj, mlp::input, hidden_states);
  // expect: these are vocab (2048) logits; 100 is required here
  const std::span<const float, 100> logits = engine.decode(1);
  // expect: decode: its result is thrown away; it is all that the call is for
  engine.decode(static_cast<std::int32_t>(logits[0]));
}
