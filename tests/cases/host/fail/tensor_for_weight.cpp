#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  // expect: attention_input_norm_prefill: this is a tensor hidden_states (f32 tokens x hidden); a weight attention::input_norm (f32 hidden) is required here
  tiny::attention_input_norm_prefill(record, tiny::buffers::hidden_states, tiny::buffers::hidden_states, tiny::buffers::attention::input);
}
