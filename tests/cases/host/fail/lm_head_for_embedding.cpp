#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  // expect: embed_prefill: this weight is lm_head (vocab x hidden); embedding::tokens (vocab x hidden) is required here
  tiny::embed_prefill(record, tiny::weights.lm_head, tiny::buffers::hidden_states);
}
