// Two activations of equal axes, each where the other belongs: their roles tell them apart.
#include "tiny/forward.hpp"

void attention(monomorph::Recorder& record, const tiny::LayerStates& states) {
  using namespace tiny::buffers::attention;
  // expect: attention_prefill: attention::attended (tokens x q) and attention::queries_turned (tokens x q) stand in each other's place
  tiny::attention_prefill(record, attended, states.attention.keys, states.attention.values, queries_turned);
}
