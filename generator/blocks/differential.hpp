// Differential attention (Ye et al. 2024): of two attentions over one value, which is as wide as both, the second is
// taken from the first. Its heads are pairs of those that num_attention_heads counts.
#pragma once

#include "generator/blocks/attention.hpp"

namespace monomorph::generator {

struct Axis;

inline bool is_differential(const AttentionSection& attention) { return attention.differential.given; }
/// The rules on differential, and on what it asks of heads.
void check_differential(const BlockContext& context, Diagnostics& diagnostics);
/// What lambda is made of; `head`: the elements of a key.
void declare_difference(const BlockContext& context, Id<Axis> head, Declarations& declare);
/// The first less lambda times the second.
Id<Value> build_difference(Builder& build, Id<Value> first, Id<Value> second);
/// What is left of each head after its norm: (1 - lambda_init) of it.
Id<Value> build_remaining(Builder& build, Id<Value> given);

}  // namespace monomorph::generator
