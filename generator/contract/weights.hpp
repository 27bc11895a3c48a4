// The weights of the model in the order of the forward pass: axes, dtypes, and the checkpoint tensors that fill them.
#pragma once

#include <vector>

#include "generator/contract/contract.hpp"

namespace monomorph::generator {

/// Token and position embeddings.
std::vector<WeightContract> prologue_weights(const Spec& spec);
/// Those of a layer. `prefix` stands before the axes that are the kind's own: "", or "<kind>_".
std::vector<WeightContract> layer_weights(const Spec& spec, const LayerKind& spec_kind, const LayerContract& kind,
                                          const std::string& prefix);
/// Final norm and, where it is not the embedding's matrix, the head.
std::vector<WeightContract> epilogue_weights(const Spec& spec);

/// Elements that the checkpoint has of a weight (a bias that is missing in part is filled with zeros).
std::int64_t checkpoint_parameters(const WeightContract& weight);

}  // namespace monomorph::generator
