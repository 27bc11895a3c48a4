// What stands around the heads of attention: what q, k and v give is limited.
#pragma once

#include <string>

#include "generator/blocks/attention.hpp"

namespace monomorph::generator {

/// The rule on clip.
void check_clip(const BlockContext& context, Diagnostics& diagnostics);
/// The projection of this word, limited where clip says so.
Id<Value> build_clipped(const BlockContext& context, Builder& build, const std::string& word, Id<Value> in,
                        const std::string& role);

}  // namespace monomorph::generator
