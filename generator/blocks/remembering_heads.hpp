// What sub-blocks whose heads remember a matrix each have around their recurrence: delta rules and retention.
#pragma once

#include <string>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

/// What the projection `word` gives of the input; where a rank is given, of a short vector that `<word>_down` makes of
/// it, and `activation` of x, unless it is empty, of each of its elements.
Id<Value> build_short(Builder& build, const std::string& word, const Field<std::int64_t>& rank, Id<Value> in,
                      const std::string& role, const Expression& activation = {});
/// What heads read, normed for each head by itself, and all together, where there are such norms, and then multiplied
/// by the gate where there is one.
Id<Value> build_given_by_heads(const BlockContext& context, Builder& build, Id<Value> read,
                               const Field<NormChoice>& head_norm, const Field<NormChoice>& inner_norm, Id<Value> gate);

}  // namespace monomorph::generator
