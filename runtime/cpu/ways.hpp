// The way through each stage that a CPU takes, ready to be run: dispatches whose arguments are addresses, and where one
// of them must wait for all before it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/cpu/memory.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/program/program.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::cpu {

/// Arenas, and weights as a file has them.
class Storage {
 public:
  Storage(const Program& program, const HostWeights& weights, const LoadProgress& progress);

  std::byte* at(const BufferView& view) const {
    return arenas_[static_cast<std::size_t>(view.arena)].data() + view.offset;
  }
  Argument stored(std::int32_t id) const;

 private:
  std::array<Memory, arena_count> arenas_;
  Memory weights_;
  std::vector<std::vector<const std::byte*>> rows_;  ///< of what is stored: where each begins
  std::vector<std::int32_t> held_by_;                ///< of each: itself, or the first of the same tensors
};

/// What one dispatch runs.
struct Step {
  Function function;
  std::vector<Argument> arguments;  ///< by binding
  bool waits;                       ///< for all that stand before it
};

/// A stage's dispatches; none where the program does not have it.
struct Way {
  Recorder recorder;
  std::vector<Step> steps;  ///< by dispatch
};

/// Throws Error(internal) where a kernel that it dispatches has no function.
Way make_way(const Program& program, const Storage& storage, Stage stage);

}  // namespace monomorph::cpu
