// What kinds of layer share is given to either, and each has its own table.
// model: kinds
#include "kinds/forward.hpp"

void heads(monomorph::Recorder& record) {
  using namespace kinds;
  using namespace kinds::buffers;
  const LocalLayerStates local = local_layer_states(0);
  const GlobalLayerStates global = global_layer_states(0);
  qkv_proj_prefill(record, local_layer_weights(0).attention.qkv_proj, attention::input, attention::queries_keys_values);
  local_heads_prefill(record, local_rotary_angles, attention::queries_keys_values, attention::queries_turned,
                      local.attention.keys, local.attention.values);
  qkv_proj_prefill(record, global_layer_weights(0).attention.qkv_proj, attention::input,
                   attention::queries_keys_values);
  global_heads_prefill(record, global_rotary_angles, attention::queries_keys_values, attention::queries_turned,
                       global.attention.keys, global.attention.values);
}
