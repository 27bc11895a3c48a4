#include "tiny/forward.hpp"

using DownProj = tiny::Weight<tiny::roles::mlp::down_proj, tiny::bf16, tiny::hidden, tiny::intermediate>;

// expect: this weight is mlp::down_proj (f16 hidden x intermediate); mlp::down_proj (bf16 hidden x intermediate) is required here
const DownProj down_proj = tiny::layer_weights(0).mlp.down_proj;
