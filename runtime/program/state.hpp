// What slots remember: keys and values of attention, what convolutions read and matrices of recurrences, as tables that
// plans make and devices hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "runtime/enumerators.hpp"
#include "runtime/program/tensor.hpp"

namespace monomorph {

enum class StateKind : std::uint32_t {
  growing,    ///< an entry a position: going back is free
  ring,       ///< later positions take the entries of those that no query sees: going back is free as far as they last
  source,     ///< an entry a token of the slot's source, whatever its position
  recurrent,  ///< two copies of what all positions made: that of the last submission, and that of the one before it
};
inline constexpr const char* state_kind_names[] = {"growing", "ring", "source", "recurrent"};
static_assert(std::size(state_kind_names) == enumerator_count<StateKind>());
/// As dumps and saved slots call it.
constexpr const char* name_of(StateKind kind) { return state_kind_names[static_cast<std::size_t>(kind)]; }

/// Entries of a recurrent state. A submission reads one and writes the other, so that what it goes on from stays.
inline constexpr std::int64_t recurrent_copies = 2;

/// What slots remember of one role in the layers of one kind, each as often as it runs: [layers][slots][heads][entries]
/// rows of row_bytes, layers `stride` bytes apart. Of a ring, queries see the `recent` last positions, their own among
/// them, and the `first`.
struct StateTable {
  const char* name = "";  ///< "attention::keys"
  StateKind kind = StateKind::growing;
  std::int64_t layers = 0, slots = 0, heads = 0, entries = 0, row_bytes = 0;
  std::int64_t stride = 0;
  BufferView view = {};  ///< of the first layer
  std::int64_t recent = 0, first = 0;
  Dtype dtype = Dtype::f32;  ///< of what a row keeps; the reference keeps doubles
};

/// The entry of a position (of a recurrent state, of a copy), and the row that a head has there: the one place that
/// knows. shaders/state*.glsl are its twins.
constexpr std::int64_t state_entry(const StateTable& state, std::int64_t position) {
  if (state.kind != StateKind::ring || position < state.first) return position;
  return state.first + (position - state.first) % (state.entries - state.first);
}
constexpr std::int64_t state_row(const StateTable& state, std::int64_t slot, std::int64_t head, std::int64_t position) {
  return (slot * state.heads + head) * state.entries + state_entry(state, position);
}
/// What a slot holds: the states of its source, and of the first `position` tokens of a sequence of which `furthest`
/// positions were written.
struct HeldStates {
  std::int64_t slot = 0, position = 0, furthest = 0;
  std::int64_t source = 0;  ///< tokens of the slot's source, of which it holds the states
  std::int64_t copy = -1;   ///< of recurrent states, that of `position`; none: -1
};
/// Whether what the sequence sees when it goes on is still there.
constexpr bool state_holds(const StateTable& state, const HeldStates& held) {
  if (state.kind == StateKind::recurrent) return held.position == 0 || held.copy >= 0;
  if (state.kind != StateKind::ring || held.furthest <= state.entries) return true;
  return held.position - state.recent + 1 >= held.furthest - (state.entries - state.first);
}

/// Neighbouring entries.
struct EntryRange {
  std::int64_t first = 0, count = 0;
};
/// Entries of a slot that hold something: positions that stay, of a ring what was written, of recurrent states a copy.
constexpr EntryRange held_entries(const StateTable& state, const HeldStates& held) {
  switch (state.kind) {
    case StateKind::growing:
      return {0, held.position};
    case StateKind::ring:
      return {0, std::min(held.furthest, state.entries)};
    case StateKind::source:
      return {0, held.source};
    case StateKind::recurrent:
      return {std::max<std::int64_t>(held.copy, 0), held.position > 0 ? 1 : 0};
  }
  return {};
}

/// An entry's bytes in all layers times how many of them `entries` says of each state, summed.
constexpr std::int64_t state_bytes(std::span<const StateTable> states, auto entries) {
  std::int64_t bytes = 0;
  for (const StateTable& state : states) bytes += state.layers * state.heads * state.row_bytes * entries(state);
  return bytes;
}

/// Bytes of states that one slot takes.
constexpr std::int64_t slot_bytes(std::span<const StateTable> states) {
  return state_bytes(states, [](const StateTable& state) { return state.entries; });
}
/// What it would take if sequences had at most so many positions.
constexpr std::int64_t slot_bytes(std::span<const StateTable> states, std::int64_t positions) {
  return state_bytes(states, [&](const StateTable& state) {
    const bool by_position = state.kind == StateKind::growing || state.kind == StateKind::ring;
    return by_position ? std::min(state.entries, positions) : state.entries;
  });
}
/// What rings save a slot of sequences of so many positions: the bytes of those that have no entry of their own.
constexpr std::int64_t slot_bytes_saved(std::span<const StateTable> states, std::int64_t positions) {
  return state_bytes(states, [&](const StateTable& state) {
    return state.kind == StateKind::ring ? positions - std::min(state.entries, positions) : 0;
  });
}
/// What the entries take that hold something.
constexpr std::int64_t held_bytes(std::span<const StateTable> states, const HeldStates& held) {
  return state_bytes(states, [&](const StateTable& state) { return held_entries(state, held).count; });
}
/// What one more position of a slot takes: rings take none.
constexpr std::int64_t state_bytes_per_token(std::span<const StateTable> states) {
  return state_bytes(states, [](const StateTable& state) { return state.kind == StateKind::growing ? 1 : 0; });
}

}  // namespace monomorph
