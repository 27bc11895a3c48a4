#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::Buffers& buffers) {
  const tiny::Weight<tiny::o_proj, tiny::f16, tiny::q, tiny::hidden> transposed{0};
  // expect: o_proj_add_prefill: this weight is o_proj (q x hidden); o_proj (hidden x q) is required here
  tiny::o_proj_add_prefill(record, transposed, buffers.attended, buffers.hidden_states);
}
