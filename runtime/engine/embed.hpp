// Vectors of texts: many at once, upon Batch.
#pragma once

#include <span>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace monomorph {

/// The vector of each text, [output_size], as many texts in a pass as fit: each is what the text alone gives, within
/// the rounding of sums, and bit for bit where the engine is invariant. Takes every slot. Throws Error(rejected),
/// before anything runs, where the model gives logits, or a text is empty, too long, or has tokens or types that the
/// model has not; and where a vector holds what is no finite number.
std::vector<std::vector<float>> embed(Engine& engine, std::span<const Text> texts);

}  // namespace monomorph
