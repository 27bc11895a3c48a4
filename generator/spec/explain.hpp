// explain: a spec with every default written out and every layer kind resolved. The text is itself a spec, which
// resolves to the same contract.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

std::string explain_spec(const Spec& spec);

/// Fields and their values as TOML: "attention.head_dim" and "64".
using ExplainedFields = std::vector<std::pair<std::string, std::string>>;

/// Those outside the layers, but for the names and types of the checkpoint's tensors and records of import.
ExplainedFields explain_outside_layers(const Spec& spec);
/// Those of a layer of this kind: of its steps, its norm, its positions and its sub-blocks.
ExplainedFields explain_layer(const LayerKind& kind);

}  // namespace monomorph::generator
