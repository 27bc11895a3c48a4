// A kernel of the user's own over any columns: the weight says which, and the tensor must follow.
#include <type_traits>

#include "tiny/model.hpp"

template <class Role, class Rows, class Columns>
void project(const tiny::Weight<Role, tiny::f16, Rows, Columns>& weight,
             const tiny::Tensor<tiny::f32, tiny::tokens, std::type_identity_t<Columns>>& input);

void host(const tiny::LayerWeights& layer) {
  project(layer.o_proj, tiny::buffers::attended);
  // expect: project: this tensor is tokens x hidden; tokens x q is required here
  project(layer.o_proj, tiny::buffers::hidden_states);
}
