#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  // expect: mlp_input_norm_prefill: this weight is final_norm (hidden); mlp::input_norm (hidden) is required here
  tiny::mlp_input_norm_prefill(record, tiny::weights.final_norm, tiny::buffers::hidden_states, tiny::buffers::mlp::input);
}
