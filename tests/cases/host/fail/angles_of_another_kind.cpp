// The table of another kind of layer: as large, and of other frequencies.
// model: kinds
#include "kinds/forward.hpp"

void host(monomorph::Recorder& record, const kinds::GlobalLayerStates& states) {
  using namespace kinds::buffers;
  // expect: global_heads_prefill: this tensor is local_rotary_angles (angle_rows x angles); global_rotary_angles (angle_rows x angles) is required here
  kinds::global_heads_prefill(record, local_rotary_angles, attention::queries_keys_values, attention::queries_turned, states.attention.keys, states.attention.values);
}
