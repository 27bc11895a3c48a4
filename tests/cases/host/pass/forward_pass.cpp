// The whole forward pass, every argument in its place.
#include "tiny/forward.hpp"

void forward(monomorph::Recorder& record, const tiny::Weights& weights, const tiny::Buffers& buffers,
             const std::array<tiny::LayerCache, tiny::num_hidden_layers>& caches) {
  using namespace tiny;
  embed_prefill(record, weights.embed_tokens, buffers.hidden_states);
  for (std::size_t index = 0; index < caches.size(); ++index) {
    const LayerWeights& layer = weights.layers[index];
    const LayerCache& cache = caches[index];
    qkv_rope_prefill(record, layer.input_layernorm, layer.qkv_proj, buffers.hidden_states, buffers.queries, cache.keys,
                     cache.values);
    attention_prefill(record, buffers.queries, cache.keys, cache.values, buffers.attended);
    o_proj_add_prefill(record, layer.o_proj, buffers.attended, buffers.hidden_states);
    gate_up_prefill(record, layer.post_attention_layernorm, layer.gate_proj, layer.up_proj, buffers.hidden_states,
                    buffers.activated);
    down_proj_add_prefill(record, layer.down_proj, buffers.activated, buffers.hidden_states);
  }
  final_norm_decode(record, weights.final_norm, buffers.hidden_state);
}
