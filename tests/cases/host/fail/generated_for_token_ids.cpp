#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  // expect: embed_prefill: this tensor is decode_steps; tokens is required here
  tiny::embed_prefill(record, tiny::weights.embed_tokens, tiny::buffers::generated, tiny::buffers::hidden_states);
}
