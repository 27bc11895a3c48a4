#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  // expect: embed_prefill: this tensor is step (u32 step_words); hidden_states (f32 tokens x hidden) is required here
  tiny::embed_prefill(record, tiny::weights.embedding.tokens, tiny::buffers::step);
}
