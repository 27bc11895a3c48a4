// Sequences side by side in an engine's slots: each gives what it gives alone, whatever its neighbours hold.
#pragma once

#include "runtime/engine/engine.hpp"
#include "tests/golden/golden.hpp"

namespace monomorph::golden {

/// Fills every slot to its end. Then runs a sequence a slot, made of the golden's tokens: each alone, all of them a
/// slot at a time, and all in common passes, over what the slots held before; winds one back. In common passes logits
/// may be off by `tolerance` (relative L2 of a row), everything else by nothing; tolerance 0: they too, and what is
/// drawn. Empty where all agree, else a sentence.
std::string slots_disagree(const Golden& golden, Engine& engine, double tolerance);

}  // namespace monomorph::golden
