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

/// Bytes of a program's weights: those that are read where a checkpoint's files are mapped, and those that are copied,
/// since the checkpoint has them transposed, in another type, or in pieces.
struct WeightBytes {
  std::int64_t mapped = 0, copied = 0;
};
WeightBytes weight_bytes(const Program& program);

/// Arenas, and weights as a file has them: rows that kernels find by themselves are read where the file is mapped,
/// others are copied.
class Storage {
 public:
  /// `weights` outlive it. Progress is of what is copied.
  Storage(const Program& program, const HostWeights& weights, const LoadProgress& progress);

  std::byte* at(const BufferView& view) const {
    return arenas_[static_cast<std::size_t>(view.arena)].data() + view.offset;
  }
  Argument stored(std::int32_t id) const;

 private:
  std::array<Memory, arena_count> arenas_;
  Memory copied_;
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
