#include "runtime/program.hpp"

namespace monomorph {

const Phase* phase_for(const Program& program, Stage stage, std::int64_t rows) {
  const Phase* best = nullptr;
  for (const Phase& phase : program.phases) {
    if (phase.stage != stage || phase.max_rows < rows) continue;
    if (best == nullptr || phase.max_rows < best->max_rows) best = &phase;
  }
  return best;
}

std::int64_t slot_bytes(const Program& program) {
  std::int64_t bytes = 0;
  for (const StateTable& state : program.states) bytes += state.bytes_of_slot();
  return bytes;
}

std::int64_t state_bytes_per_token(const Program& program) {
  std::int64_t bytes = 0;
  for (const StateTable& state : program.states) bytes += state.layers * state.heads * state.row_bytes;
  return bytes;
}

}  // namespace monomorph
