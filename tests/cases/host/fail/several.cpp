// Mistakes of every kind in one file: all are reported, in order.
#include "tiny/engine.hpp"
#include "tiny/forward.hpp"

// expect: a cache of 1 KiB is not enough
static_assert(tiny::cache_bytes <= 1024, "a cache of 1 KiB is not enough");

void host(monomorph::Recorder& record, tiny::Engine& engine) {
  using namespace tiny;
  using namespace tiny::buffers;
  const LayerWeights layer = layer_weights(0);
  const LayerCache cache = layer_cache(0);
  // expect: embed_prefill: this weight is lm_head (vocab x hidden); embed_tokens (vocab x hidden) is required here
  embed_prefill(record, weights.lm_head, token_ids, hidden_states);
  // expect: attention_prefill: this cache is values (kv_heads x positions x head); keys (kv_heads x positions x head) is required here
  // expect: attention_prefill: this cache is keys (kv_heads x positions x head); values (kv_heads x positions x head) is required here
  attention_prefill(record, queries, cache.values, cache.keys, attended);
  // expect: o_proj_add_prefill: this tensor is tokens x hidden; tokens x q is required here
  o_proj_add_prefill(record, layer.o_proj, hidden_states, hidden_states);
  // expect: gate_up_proj_prefill: this weight is up_proj (intermediate x hidden); gate_proj (intermediate x hidden) is required here
  gate_up_proj_prefill(record, layer.up_proj, layer.up_proj, mlp_input, activated);
  // expect: these are vocab (2048) logits; 100 is required here
  const std::span<const float, 100> logits = engine.decode(1);
  // expect: decode: its result is thrown away; it is all that the call is for
  engine.decode(static_cast<std::int32_t>(logits[0]));
}
