// Two models with axes of the same names: the sentence then says whose they are.
#include "tiny/forward.hpp"

namespace huge {
struct tokens {
  static constexpr std::int64_t size = 128;
};
}  // namespace huge

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  const monomorph::Tensor<tiny::roles::attention::attended, monomorph::f32, huge::tokens, tiny::q> attended{};
  // expect: o_proj_add_prefill: this tensor is model_tiny::roles::attention::attended (huge::tokens x model_tiny::q); model_tiny::roles::attention::attended (model_tiny::tokens x model_tiny::q) is required here
  tiny::o_proj_add_prefill(record, layer.attention.o_proj, attended, tiny::buffers::hidden_states);
}
