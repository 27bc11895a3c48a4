#include "runtime/program/program.hpp"

#include "runtime/error.hpp"

namespace monomorph {

void Reference::encode(std::int64_t, std::span<const std::int32_t>, std::vector<std::vector<double>>*) {
  throw Error(ErrorKind::internal, "this reference reads no sources");
}

void Reference::copy(std::int64_t, std::int64_t) { throw Error(ErrorKind::internal, "this reference copies no slots"); }

const Phase* phase_of(const Program& program, Stage stage, Lowering lowering) {
  for (const Phase& phase : program.phases) {
    if (phase.stage == stage && phase.lowering == lowering) return &phase;
  }
  return nullptr;
}

const Phase* phase_of_any_rows(const Program& program, Stage stage) {
  const Phase* found = nullptr;
  for (const Phase& phase : program.phases) {
    if (phase.stage != stage) continue;
    if (found == nullptr || rank(phase.lowering) > rank(found->lowering)) found = &phase;
  }
  return found;
}

}  // namespace monomorph
