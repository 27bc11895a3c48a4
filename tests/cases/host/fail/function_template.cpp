// A kernel of the user's own over any columns: the weight says which, and the tensor must follow.
#include <type_traits>

#include "tiny/model.hpp"

template <class Role, class Rows, class Columns>
void project(const tiny::Weight<Role, tiny::f16, Rows, Columns>& weight,
             const tiny::Tensor<tiny::roles::attention::attended, tiny::f32, tiny::tokens,
                                std::type_identity_t<Columns>>& input);

void host(const tiny::LayerWeights& layer) {
  project(layer.attention.o_proj, tiny::buffers::attention::attended);
  // expect: project: this tensor is hidden_states (tokens x hidden); attention::attended (tokens x q) is required here
  project(layer.attention.o_proj, tiny::buffers::hidden_states);
}
