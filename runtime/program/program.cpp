#include "runtime/program/program.hpp"

#include "runtime/error.hpp"

namespace monomorph {

void Reference::copy(std::int64_t, std::int64_t) { throw Error(ErrorKind::internal, "this reference copies no slots"); }

const Phase* phase_for(const Program& program, Stage stage, std::int64_t rows) {
  const Phase* best = nullptr;
  for (const Phase& phase : program.phases) {
    if (phase.stage != stage || phase.max_rows < rows) continue;
    if (best == nullptr || phase.max_rows < best->max_rows) best = &phase;
  }
  return best;
}

}  // namespace monomorph
