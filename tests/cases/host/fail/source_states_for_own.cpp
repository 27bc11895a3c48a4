// What a layer keeps of the answer, in the place of what it keeps of the source.
// model: answers
#include "answers/forward.hpp"

void host(monomorph::Recorder& record, const answers::DecoderLayerStates& states) {
  using namespace answers::buffers;
  // expect: decoder_attention_prefill_2: this state is attention::keys (slots x kv_heads x positions x head); cross_attention_block::keys (slots x kv_heads x source_positions x head) is required here
  answers::decoder_attention_prefill_2(record, cross_attention_block::queries, states.attention.keys, states.cross_attention_block.values, cross_attention_block::attended);
}
