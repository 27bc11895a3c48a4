// What slots remember: keys and values of attention and what convolutions read, as tables that plans make and devices
// hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/program/tensor.hpp"

namespace monomorph {

enum class StateKind : std::uint32_t {
  growing,  ///< an entry a position: going back is free
  ring,     ///< later positions take the entries of those that no query sees: going back is free as far as they last
  source,   ///< an entry a token of the slot's source, whatever its position
};

/// As dumps and saved slots call it.
constexpr const char* name_of(StateKind kind) {
  return kind == StateKind::growing ? "growing" : kind == StateKind::ring ? "ring" : "source";
}

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

/// The entry of a position, and the row that a head has there: the one place that knows. shaders/state*.glsl are its
/// twins.
constexpr std::int64_t state_entry(const StateTable& state, std::int64_t position) {
  if (state.kind != StateKind::ring || position < state.first) return position;
  return state.first + (position - state.first) % (state.entries - state.first);
}
constexpr std::int64_t state_row(const StateTable& state, std::int64_t slot, std::int64_t head, std::int64_t position) {
  return (slot * state.heads + head) * state.entries + state_entry(state, position);
}
/// Whether what a sequence that goes on at `position` sees is still there after `furthest` positions were written.
constexpr bool state_holds(const StateTable& state, std::int64_t position, std::int64_t furthest) {
  if (state.kind != StateKind::ring || furthest <= state.entries) return true;
  return position - state.recent + 1 >= furthest - (state.entries - state.first);
}

/// What a slot holds: the states of its source, and of the first `position` tokens of a sequence of which `furthest`
/// positions were written.
struct HeldStates {
  std::int64_t slot = 0, position = 0, furthest = 0;
  std::int64_t source = 0;  ///< tokens of the slot's source, of which it holds the states
};
/// Entries of a slot that hold something, from the first on: positions that stay, and of a ring what was written.
constexpr std::int64_t held_entries(const StateTable& state, const HeldStates& held) {
  if (state.kind == StateKind::source) return held.source;
  return state.kind == StateKind::growing ? held.position : std::min(held.furthest, state.entries);
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
    return state.kind == StateKind::source ? state.entries : std::min(state.entries, positions);
  });
}
/// What rings save a slot of sequences of so many positions: the bytes of those that have no entry of their own.
constexpr std::int64_t slot_bytes_saved(std::span<const StateTable> states, std::int64_t positions) {
  return state_bytes(states, [&](const StateTable& state) {
    return state.kind == StateKind::source ? 0 : positions - std::min(state.entries, positions);
  });
}
/// What the entries take that hold something.
constexpr std::int64_t held_bytes(std::span<const StateTable> states, const HeldStates& held) {
  return state_bytes(states, [&](const StateTable& state) { return held_entries(state, held); });
}
/// What one more position of a slot takes: rings take none.
constexpr std::int64_t state_bytes_per_token(std::span<const StateTable> states) {
  return state_bytes(states, [](const StateTable& state) { return state.kind == StateKind::growing ? 1 : 0; });
}

}  // namespace monomorph
