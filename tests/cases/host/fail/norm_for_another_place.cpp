// What the MLP's norm gives, in the place of what attention's norm gives: both are tokens x hidden.
#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  using namespace tiny::buffers;
  // expect: qkv_proj_prefill: this tensor is mlp::input (tokens x hidden); attention::input (tokens x hidden) is required here
  tiny::qkv_proj_prefill(record, layer.attention.qkv_proj, mlp::input, attention::queries_keys_values);
}
