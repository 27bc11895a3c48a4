#include "tiny/forward.hpp"

void host(monomorph::Recorder& record) {
  const tiny::Weight<tiny::roles::attention::o_proj, tiny::f16, tiny::q, tiny::hidden> transposed{0};
  // expect: o_proj_add_prefill: this weight is attention::o_proj (q x hidden); attention::o_proj (hidden x q) is required here
  tiny::o_proj_add_prefill(record, transposed, tiny::buffers::attention::attended, tiny::buffers::hidden_states);
}
