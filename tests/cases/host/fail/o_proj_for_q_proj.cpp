// A function of the user's own takes a q_proj; with q == hidden, an o_proj has as many numbers.
#include "tiny/forward.hpp"

struct q_proj;
void probe_queries(monomorph::Recorder& record,
                   const tiny::Weight<q_proj, tiny::f16, tiny::q, tiny::hidden>& weight);

void host(monomorph::Recorder& record, const tiny::LayerWeights& layer) {
  // expect: probe_queries: this weight is attention::o_proj (hidden x q); q_proj (q x hidden) is required here
  probe_queries(record, layer.attention.o_proj);
}
