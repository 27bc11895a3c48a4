// What stands around the heads of attention: what q, k and v give is limited, and what the heads give is gated, scaled
// and normed before o.
#pragma once

#include <string>

#include "generator/blocks/attention.hpp"

namespace monomorph::generator {

struct Axis;

/// The rules on clip and head_norm.
void check_around_heads(const BlockContext& context, Diagnostics& diagnostics);
/// The projection of this word, limited where clip says so.
Id<Value> build_clipped(const BlockContext& context, Builder& build, const std::string& word, Id<Value> in,
                        const std::string& role);
/// The parts between the heads and o; `given`: the axis of what all heads give, which is heads x head.
void declare_given(const BlockContext& context, Id<Axis> heads, Id<Axis> given, Declarations& declare);
/// What o reads of what the heads give; `gate`: none where nothing gates it.
Id<Value> build_given(const BlockContext& context, Builder& build, Id<Value> attended, Id<Value> gate);

}  // namespace monomorph::generator
