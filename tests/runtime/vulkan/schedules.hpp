// Random schedules of an engine's slots: steps of several runs, draws, generations, going back, copies, saved slots
// that another engine takes, a slot whose logits are no numbers, and sources of unequal lengths that take each other's
// place. After each the slots are what their sources and tokens alone give.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/engine/engine.hpp"

namespace monomorph::test {

/// The toy on the CPU, which answers to sources or not: any slots, copies too.
std::unique_ptr<Reference> toy_slots(const HostWeights& weights);

/// A checkpoint of the toy in which one token spoils all logits of a sequence that has it, and is never the likeliest.
std::string spoiling_checkpoint();

/// Runs `count` schedules drawn from `seed`. `make` gives engines of the toy, or of the one that answers, with the
/// weights of spoiling_checkpoint(), of which `weights` is another reading. Empty where every answer is right, else a
/// sentence.
std::string run_schedules(const std::function<std::unique_ptr<Engine>()>& make, const HostWeights& weights,
                          std::uint64_t count, std::uint64_t seed);

}  // namespace monomorph::test
