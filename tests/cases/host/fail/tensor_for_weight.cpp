#include "tiny/forward.hpp"

void host(monomorph::Recorder& record, const tiny::Buffers& buffers) {
  // expect: final_norm_decode: this is a tensor, f32 one x hidden; a weight final_norm (f32 hidden) is required here
  tiny::final_norm_decode(record, buffers.hidden_state, buffers.hidden_state);
}
