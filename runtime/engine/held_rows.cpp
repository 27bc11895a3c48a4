#include "runtime/engine/held_rows.hpp"

namespace monomorph {

std::vector<HeldRows> held_rows(const Program& program, const HeldStates& held, std::int64_t slot) {
  std::vector<HeldRows> all;
  for (const StateTable& state : program.states) {
    const EntryRange entries = held_entries(state, held);
    if (entries.count == 0) continue;
    for (std::int64_t layer = 0; layer < state.layers; ++layer) {
      BufferView view = state.view;
      view.offset += layer * state.stride;
      for (std::int64_t head = 0; head < state.heads; ++head) {
        all.push_back(
            {view, state_row(state, slot, head, entries.first) * state.row_bytes, entries.count * state.row_bytes});
      }
    }
  }
  return all;
}

}  // namespace monomorph
