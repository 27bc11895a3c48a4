// A kernel as a CPU runs it: a function whose shapes are constants, and what it is called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/program/step.hpp"

namespace monomorph::cpu {

/// The step of a pass, as kernels read it.
struct Pass {
  std::int64_t token_count = 0, head_rows = 0;
  std::span<const StepSlot> slots{};
  std::span<const StepRow> rows{};
  std::span<const StepRun> runs{};  ///< of this pass
  std::span<const StepToken> tokens{};
};

/// What lies at a binding: bytes of an arena, or what is stored of weights.
struct Argument {
  std::byte* data = nullptr;               ///< the first byte; of weights, which nobody writes, that of the first row
  const std::byte* const* rows = nullptr;  ///< of weights: where each row begins, as a file has it
  /// How many of these rows, from the first on, are interleaved by eights (runtime/cpu/levels/level.hpp). An
  /// interleaved row begins where the first of its eight does.
  std::int64_t interleaved = 0;
};

struct Level;  // runtime/cpu/levels/level.hpp

struct Call {
  const Pass& pass;
  const Level& level;                   ///< of the processor's instructions
  bool invariant;                       ///< what a row gives has the same bits whatever is beside it in the pass
  std::span<const Argument> arguments;  ///< by binding
  std::int64_t rows;                    ///< of the dispatch; of weights with banks, of each
};

/// A dispatch is so many units of work, none of which reads what another writes: threads share them out. A unit sums in
/// one order, whatever else the pass holds.
struct Function {
  std::int64_t (*units)(const Call& call) = nullptr;  ///< null: the engine does it itself (draws)
  void (*run)(const Call& call, std::int64_t begin, std::int64_t end) = nullptr;
  /// Whether a level multiplies interleaved rows of weights faster. Null: it does not. Every kernel that finds rows of
  /// weights reads both kinds.
  bool (*interleaves)(const Level& level) = nullptr;
};

}  // namespace monomorph::cpu
