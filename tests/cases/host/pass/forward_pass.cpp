// A forward pass of the user's own, every argument in its place.
#include "tiny/forward.hpp"

void forward(monomorph::Recorder& record) {
  using namespace tiny;
  using namespace tiny::buffers;
  embed_prefill(record, weights.embed_tokens, token_ids, hidden_states);
  for (std::int64_t index = 0; index < num_hidden_layers; ++index) {
    const LayerWeights layer = layer_weights(index);
    const LayerCache cache = layer_cache(index);
    input_layernorm_prefill(record, layer.input_layernorm, hidden_states, attention_input);
    qkv_proj_prefill(record, layer.qkv_proj, attention_input, query_key_value);
    heads_prefill(record, rotary_angles, query_key_value, queries, cache.keys, cache.values);
    attention_prefill(record, queries, cache.keys, cache.values, attended);
    o_proj_add_prefill(record, layer.o_proj, attended, hidden_states);
    post_attention_layernorm_prefill(record, layer.post_attention_layernorm, hidden_states, mlp_input);
    gate_up_proj_prefill(record, layer.gate_proj, layer.up_proj, mlp_input, activated);
    down_proj_add_prefill(record, layer.down_proj, activated, hidden_states);
  }
}
