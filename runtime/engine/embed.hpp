// Vectors of texts: many at once, upon Batch.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace monomorph {

/// `take` sees the vector of each text, [output_size], in order; as many texts are in a pass as fit. Each vector is
/// what the text alone gives, within the rounding of sums, and bit for bit where the engine is invariant. Takes every
/// slot. `before_pass`, where it is given, is called before each pass; what it throws ends the call there. Throws
/// Error(rejected), before anything runs, where the model gives logits, or a text is empty, too long, or has tokens or
/// types that the model has not; and at a vector that holds what is no finite number, with the text's number.
void embed(Engine& engine, std::span<const Text> texts, const std::function<void(std::span<const float> vector)>& take,
           const std::function<void()>& before_pass = {});
/// The same, all together: [texts][output_size].
std::vector<std::vector<float>> embed(Engine& engine, std::span<const Text> texts);

}  // namespace monomorph
