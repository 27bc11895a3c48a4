// Layers that read something of an earlier one name its kind: values, or keys and values. Where lists of sizes have cut
// that kind into several, the last layer that was of it decides which one is read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/spec/by_layer.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// The kind of layer that a sub-block reads something of, or "".
std::string kind_read_by(const Block& block);

/// Writes into each kind which kind its layers really read of: lists may have cut the one that it names. Where layers
/// of one kind read of different ones, they become kinds of their own, in `cut` and in `kinds`, which are by name.
void resolve_sources(CutKinds& cut, std::map<std::string, LayerKind>& kinds);

}  // namespace monomorph::generator
