#include "runtime/program/program.hpp"

namespace monomorph {

const Phase* phase_of(const Program& program, Stage stage, Lowering lowering) {
  for (const Phase& phase : program.phases) {
    if (phase.stage == stage && phase.lowering == lowering) return &phase;
  }
  return nullptr;
}

}  // namespace monomorph
