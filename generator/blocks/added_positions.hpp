// Positions that the embedding adds to its tokens: a learned table, or sines and cosines.
#pragma once

#include "generator/blocks/position.hpp"

namespace monomorph::generator {

struct Contract;

void check_added_positions(const Spec& spec, Diagnostics& diagnostics);
/// What the embedding, which has been entered, needs for them.
void declare_added_positions(const Spec& spec, Declarations& declare);
/// What each token's embedding is to have added, [tokens, hidden]; none where nothing is.
Id<Value> build_added_positions(const Contract& contract, Builder& build);

}  // namespace monomorph::generator
