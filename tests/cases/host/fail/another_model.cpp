// Two models with axes of the same names: the sentence then says whose they are.
#include "tiny/forward.hpp"

namespace huge {
struct tokens {
  static constexpr std::int64_t size = 128;
};
}  // namespace huge

void host(monomorph::Recorder& record, const tiny::Weights& weights) {
  const monomorph::Tensor<monomorph::f32, huge::tokens, tiny::hidden> hidden_states{};
  // expect: embed_prefill: this tensor is huge::tokens x tiny::hidden; tiny::tokens x tiny::hidden is required here
  tiny::embed_prefill(record, weights.embed_tokens, hidden_states);
}
