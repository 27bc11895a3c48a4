// Where the rows of states lie that hold something of a slot: what copies and saved slots move.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/program/program.hpp"

namespace monomorph {

/// Neighbouring rows of a head: bytes behind the first of `layer`, what a layer has of a state.
struct HeldRows {
  BufferView layer;
  std::int64_t offset, bytes;
};

/// By state, layer and head: held_bytes(program.states, held) bytes in all, of what `held` tells, in slot `slot`.
std::vector<HeldRows> held_rows(const Program& program, const HeldStates& held, std::int64_t slot);

}  // namespace monomorph
