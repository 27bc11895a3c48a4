// Positions that the embedding adds to its tokens: a learned table, or sines and cosines.
#pragma once

#include "generator/blocks/position.hpp"

namespace monomorph::generator {

struct Axis;
struct StackContract;
struct StackInput;

void check_added_positions(const StackInput& input, Diagnostics& diagnostics);
/// What the embedding, which has been entered, needs for them; `columns`: of what they are added to.
void declare_added_positions(const StackInput& input, Id<Axis> columns, Declarations& declare);
/// What each token's embedding is to have added, [tokens, columns]; none where nothing is.
Id<Value> build_added_positions(const StackContract& stack, Id<Axis> columns, Builder& build);

}  // namespace monomorph::generator
