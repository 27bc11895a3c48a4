// Of several functions of one name, the one that fits best is spoken of.
#include "tiny/model.hpp"

void probe(const tiny::Weight<tiny::roles::gate_proj, tiny::f16, tiny::intermediate, tiny::hidden>& weight,
           const tiny::Tensor<tiny::f32, tiny::tokens, tiny::hidden>& input);
void probe(const tiny::Weight<tiny::roles::o_proj, tiny::f16, tiny::hidden, tiny::q>& weight,
           const tiny::Tensor<tiny::f32, tiny::tokens, tiny::q>& input);

void host(const tiny::LayerWeights& layer) {
  // expect: probe: this tensor is tokens x intermediate; tokens x q is required here
  probe(layer.o_proj, tiny::buffers::activated);
}
