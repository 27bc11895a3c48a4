// A forward pass of the user's own, every argument in its place.
#include "tiny/forward.hpp"

void forward(monomorph::Recorder& record) {
  using namespace tiny;
  using namespace tiny::buffers;
  embed_prefill(record, weights.embedding.tokens, hidden_states);
  for (std::int64_t index = 0; index < num_hidden_layers; ++index) {
    const LayerWeights layer = layer_weights(index);
    const auto [keys, values] = layer_states(index).attention;
    attention_input_norm_prefill(record, layer.attention.input_norm, hidden_states, attention::input);
    qkv_proj_prefill(record, layer.attention.qkv_proj, attention::input, attention::queries_keys_values);
    heads_prefill(record, rotary_angles, attention::queries_keys_values, attention::queries_turned, keys, values);
    attention_prefill(record, attention::queries_turned, keys, values, attention::attended);
    o_proj_add_prefill(record, layer.attention.o_proj, attention::attended, hidden_states);
    mlp_input_norm_prefill(record, layer.mlp.input_norm, hidden_states, mlp::input);
    gate_up_proj_prefill(record, layer.mlp.gate_proj, layer.mlp.up_proj, mlp::input, mlp::activated);
    down_proj_add_prefill(record, layer.mlp.down_proj, mlp::activated, hidden_states);
  }
}
