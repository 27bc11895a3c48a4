#include "runtime/program.hpp"

#include <algorithm>

namespace monomorph {

const Phase* phase_for(const Program& program, Stage stage, std::int64_t rows) {
  const Phase* best = nullptr;
  for (const Phase& phase : program.phases) {
    if (phase.stage != stage || phase.max_rows < rows) continue;
    if (best == nullptr || phase.max_rows < best->max_rows) best = &phase;
  }
  return best;
}

namespace {

/// Summed over the states: an entry's bytes times how many of them `entries` says.
template <class Entries>
std::int64_t state_bytes(const Program& program, Entries entries) {
  std::int64_t bytes = 0;
  for (const StateTable& state : program.states) bytes += state.bytes_of_entry() * entries(state);
  return bytes;
}

bool ring(const StateTable& state) { return state.kind == StateKind::ring; }

}  // namespace

std::int64_t slot_bytes(const Program& program) { return slot_bytes(program, program.max_sequence_length); }

std::int64_t slot_bytes(const Program& program, std::int64_t positions) {
  return state_bytes(program, [&](const StateTable& state) { return std::min(state.entries, positions); });
}

std::int64_t state_bytes_seen(const Program& program, std::int64_t positions) {
  return state_bytes(program, [&](const StateTable& state) {
    return ring(state) ? std::min(state.recent + state.first, positions) : positions;
  });
}

std::int64_t state_bytes_per_token(const Program& program) {
  return state_bytes(program, [](const StateTable& state) { return ring(state) ? 0 : 1; });
}

std::int64_t slot_bytes_saved(const Program& program) {
  return state_bytes(program, [&](const StateTable& state) { return program.max_sequence_length - state.entries; });
}

}  // namespace monomorph
