// Copies of slots, and slots that were saved: they go on bit for bit as their source does.
#pragma once

#include "runtime/engine/engine.hpp"
#include "tests/golden/golden.hpp"

namespace monomorph::golden {

/// Runs a sequence of the golden's tokens in the first slot, so far that rings of short windows have begun anew, by
/// both phases; then in the last one from a copy of it, from a shorter copy, and from what was saved of it, over what
/// that slot held before. Empty where all agree, else a sentence.
std::string copies_disagree(const Golden& golden, Engine& engine);

}  // namespace monomorph::golden
