#include "tiny/forward.hpp"

using DownProj = tiny::Weight<tiny::roles::down_proj, tiny::bf16, tiny::hidden, tiny::intermediate>;

// expect: this weight is down_proj (f16 hidden x intermediate); down_proj (bf16 hidden x intermediate) is required here
const DownProj down_proj = tiny::layer_weights(0).down_proj;
