// Sequences side by side in an engine's slots: each gives what it gives alone, whatever its neighbours hold.
#pragma once

#include "runtime/engine/engine.hpp"
#include "tests/golden/golden.hpp"

namespace monomorph::golden {

// Both run a sequence a slot, made of the golden's tokens, each alone first, and give a sentence where they differ,
// else nothing.

/// Fills the slots, then runs all sequences over what the slots held, a slot at a time: bit for bit what each gives
/// alone.
std::string turns_disagree(const Golden& golden, Engine& engine);

/// Runs all sequences in common passes, over what the slots held before, and winds one back: logits may be off from
/// those alone by `tolerance` (relative L2 of a row); tolerance 0: by nothing, nor what is drawn.
std::string common_passes_disagree(const Golden& golden, Engine& engine, double tolerance);

}  // namespace monomorph::golden
