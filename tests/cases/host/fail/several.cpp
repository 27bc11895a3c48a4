// Mistakes of every kind in one file: all are reported, in order.
#include "tiny/forward.hpp"

// expect: a cache of 1 KiB is not enough
static_assert(tiny::cache_bytes <= 1024, "a cache of 1 KiB is not enough");

void host(monomorph::Recorder& record, const tiny::Weights& weights, const tiny::Buffers& buffers,
          const tiny::LayerCache& cache, tiny::Sequence& sequence) {
  using namespace tiny;
  const LayerWeights& layer = weights.layers[0];
  // expect: embed_prefill: this weight is lm_head (vocab x hidden); embed_tokens (vocab x hidden) is required here
  embed_prefill(record, weights.lm_head, buffers.hidden_states);
  // expect: attention_prefill: this cache is values (kv_heads x positions x head); keys (kv_heads x positions x head) is required here
  // expect: attention_prefill: this cache is keys (kv_heads x positions x head); values (kv_heads x positions x head) is required here
  attention_prefill(record, buffers.queries, cache.values, cache.keys, buffers.attended);
  // expect: o_proj_add_prefill: this tensor is tokens x hidden; tokens x q is required here
  o_proj_add_prefill(record, layer.o_proj, buffers.hidden_states, buffers.hidden_states);
  // expect: gate_up_prefill: this weight is up_proj (intermediate x hidden); gate_proj (intermediate x hidden) is required here
  gate_up_prefill(record, layer.post_attention_layernorm, layer.up_proj, layer.up_proj, buffers.hidden_states, buffers.activated);
  // expect: these are vocab (2048) logits; 100 is required here
  const std::span<const float, 100> logits = sequence.decode(1);
  // expect: decode: its result is thrown away; it is all that the call is for
  sequence.decode(static_cast<std::int32_t>(logits[0]));
}
