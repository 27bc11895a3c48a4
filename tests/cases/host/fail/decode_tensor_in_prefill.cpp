#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::Weights& weights, const tiny::Buffers& buffers) {
  // expect: embed_prefill: this tensor is one x hidden; tokens x hidden is required here
  tiny::embed_prefill(record, weights.embed_tokens, buffers.hidden_state);
}
