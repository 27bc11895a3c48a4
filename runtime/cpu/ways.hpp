// The way through each stage that a CPU takes, ready to be run: dispatches whose arguments are addresses, and where one
// of them must wait for all before it.
#pragma once

#include <vector>

#include "runtime/cpu/storage.hpp"
#include "runtime/program/program.hpp"

namespace monomorph::cpu {

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
