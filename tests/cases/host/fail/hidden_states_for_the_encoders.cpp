// The answer's hidden states, as wide as the encoder's, in the place of these.
// model: answers
#include "answers/forward.hpp"

void host(monomorph::Recorder& record, const answers::DecoderLayerWeights& layer) {
  using namespace answers::buffers;
  // expect: kv_proj_encode: this tensor is hidden_states (tokens x hidden); encoder_hidden_states (source_tokens x hidden) is required here
  answers::kv_proj_encode(record, layer.cross_attention_block.kv_proj, hidden_states, cross_attention_block::keys_values);
}
