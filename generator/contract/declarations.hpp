// Declarations: every weight, state and table of the model, with its axes, dtype and place in the checkpoint, in the
// order of the forward pass. Assumes a spec that all rules have accepted.
#pragma once

#include "generator/contract/contract.hpp"

namespace monomorph::generator {

/// Token and position embeddings.
void declare_embedding(const Spec& spec, Contract& contract);
/// What a layer of contract.kinds[kind] has.
void declare_layer(const Spec& spec, std::size_t kind, Contract& contract);
/// Final norm and, where it is not the embedding's matrix, the head.
void declare_head(const Spec& spec, Contract& contract);

/// Elements of a weight.
std::int64_t parameters(const WeightContract& weight, const Contract& contract);

}  // namespace monomorph::generator
