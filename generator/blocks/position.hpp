// Positions: how a sub-block that reads [position] is told where a token stands.
#pragma once

#include "generator/blocks/block.hpp"

namespace monomorph::generator {

/// Defaults that follow from other values, for heads of `head_dim` elements.
void complete_position(PositionSection& position, std::int64_t head_dim, const ModelSection& model);
/// The rules on the kind's [position], whose heads have `head_dim` elements.
void check_position(const BlockContext& context, const Field<std::int64_t>& num_heads,
                    const Field<std::int64_t>& head_dim, Diagnostics& diagnostics);
/// The table of angles, where positions are told by rotation.
void declare_position(const BlockContext& context, Declarations& declare);
/// ALiBi's slope of each head (Press et al. 2022); none where positions are told otherwise.
std::vector<float> position_slopes(const BlockContext& context, std::int64_t num_heads);
/// Rows of heads, turned by their positions where those are told so.
Id<Value> build_turned(const BlockContext& context, Builder& build, Id<Value> in, const std::string& role);

}  // namespace monomorph::generator
