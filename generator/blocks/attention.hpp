// Self-attention over the slot's keys and values, and attention over those of its source.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct AttentionSection {
  Field<bool> causal;         ///< a query sees keys up to its own; else those of the whole text
  Field<std::string> source;  ///< "encoder": it sees what that gives of a source; "": tokens of its own text
  Field<std::int64_t> num_attention_heads;
  Field<std::int64_t> num_key_value_heads;  ///< default: num_attention_heads
  Field<std::int64_t> head_dim;             ///< default: hidden_size / num_attention_heads
  Field<std::string> scale;                 ///< an expression of the spec's numbers; default 1 / sqrt(head_dim)
  Field<std::string> scale_growth;       ///< an expression; how fast scores grow beyond the first interval of positions
  Field<std::int64_t> scale_interval;    ///< positions; given with scale_growth
  Field<std::int64_t> scale_offset;      ///< added to a position before it is divided by the interval
  Field<Biases> bias;                    ///< of q, k, v, gate, o
  Field<std::int64_t> adapter_rank;      ///< of adapters beside q, k and v
  Field<std::string> clip;               ///< an expression; limit of what q, k and v give
  Field<std::string> qk_norm;            ///< none | head | projection
  Field<HeadNormChoice> q_norm, k_norm;  ///< default: what qk_norm says
  Field<std::string> differential;       ///< an expression; what lambda of differential attention begins with
  Field<std::string> softcap;            ///< an expression; scores become softcap * tanh(score / softcap)
  Field<std::string> score;              ///< an expression of score, query, key, head (and slope with ALiBi)
  Field<std::int64_t> sliding_window;    ///< keys that a query sees, its own among them
  Field<std::int64_t> chunk_size;        ///< a query sees the keys of its own chunk of so many positions
  Field<std::string> mask;               ///< a condition of query and key
  Field<Window> window;                  ///< of the keys that the mask shows, those that are kept
  Field<PositionChoice> position;        ///< as [position] says, or not
  Field<bool> sinks;                     ///< one more score of each head, learned
  Field<std::string> gate;               ///< none | head | element
  Field<NormChoice> head_norm;           ///< of what each head gives; default false
  Field<bool> head_scale;                ///< a number of each head, learned, before o
  Field<NormChoice> inner_norm;          ///< of what o reads; default false
  Field<std::string> values_from;        ///< a kind of layer
  Field<std::string> keys_and_values_from;  ///< a kind of layer
  Field<std::string> value_mix;             ///< an expression of value, earlier and learned numbers
};

/// Heads as attention numbers them, which of differential attention are pairs.
inline std::int64_t numbered_heads(const AttentionSection& attention) {
  return attention.num_attention_heads.value / (attention.differential.given ? 2 : 1);
}

/// Whether keys and values are those of a source.
inline bool is_of_source(const AttentionSection& attention) { return attention.source.given; }

BlockType attention_block();
template <>
const std::vector<FieldRow<AttentionSection>>& fields();

}  // namespace monomorph::generator
