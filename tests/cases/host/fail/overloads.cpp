// Of several functions of one name, the one that fits best is spoken of.
#include "tiny/model.hpp"

void probe(const tiny::Weight<tiny::roles::mlp::gate_proj, tiny::f16, tiny::intermediate, tiny::hidden>& weight,
           const tiny::Tensor<tiny::roles::mlp::input, tiny::f32, tiny::tokens, tiny::hidden>& input);
void probe(const tiny::Weight<tiny::roles::attention::o_proj, tiny::f16, tiny::hidden, tiny::q>& weight,
           const tiny::Tensor<tiny::roles::attention::attended, tiny::f32, tiny::tokens, tiny::q>& input);

void host(const tiny::LayerWeights& layer) {
  // expect: probe: this tensor is mlp::activated (tokens x intermediate); attention::attended (tokens x q) is required here
  probe(layer.attention.o_proj, tiny::buffers::mlp::activated);
}
