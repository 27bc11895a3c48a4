// Rings by brute force: which position an entry holds is written down, pass after pass, and everything that the next
// passes see must be there; one position further back than allowed, something is not.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "runtime/program/program.hpp"

using namespace monomorph;

namespace {

StateTable ring(std::int64_t recent, std::int64_t first, std::int64_t chunk) {
  StateTable state{};
  state.kind = StateKind::ring;
  state.entries = first + recent + chunk - 1;
  state.recent = recent;
  state.first = first;
  return state;
}

/// Whether, once `furthest` positions are written, a pass of `tokens` at `position` finds all that its queries see.
bool sees_all(const StateTable& state, std::int64_t furthest, std::int64_t position, std::int64_t tokens) {
  std::vector<std::int64_t> holds(static_cast<std::size_t>(state.entries), -1);
  const auto write = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) holds[static_cast<std::size_t>(state_entry(state, p))] = p;
  };
  write(0, furthest);
  write(position, position + tokens);
  for (std::int64_t query = position; query < position + tokens; ++query) {
    for (std::int64_t key = 0; key <= query; ++key) {
      const bool seen = key < state.first || query - key < state.recent;
      if (seen && holds[static_cast<std::size_t>(state_entry(state, key))] != key) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a ring holds what passes see wherever state_holds says so, and is lost where it does not") {
  for (const std::int64_t chunk : {1, 2, 5}) {
    for (const auto& [recent, first] : {std::pair{2, 0}, {5, 0}, {3, 2}, {2, 7}}) {
      const StateTable state = ring(recent, first, chunk);
      for (std::int64_t furthest = 1; furthest <= 4 * state.entries; ++furthest) {
        for (std::int64_t position = 0; position <= furthest; ++position) {
          CAPTURE(chunk);
          CAPTURE(recent);
          CAPTURE(first);
          CAPTURE(furthest);
          CAPTURE(position);
          bool all = true;
          for (std::int64_t tokens = 1; tokens <= chunk; ++tokens) {
            all = all && sees_all(state, furthest, position, tokens);
          }
          const bool holds = state_holds(state, {0, position, furthest});
          CHECK((all || !holds));
          if (!holds && position > first) CHECK_FALSE(all);
          if (furthest - position <= chunk) CHECK(state_holds(state, {0, position, furthest}));
        }
      }
    }
  }
}

TEST_CASE("what grows is never lost") {
  StateTable state{};
  state.entries = 100;
  for (std::int64_t position = 0; position <= 100; ++position) {
    CHECK(state_entry(state, position) == position);
    CHECK(state_holds(state, {0, position, 100}));
  }
}

TEST_CASE("what is recurrent is held where one of its copies is of the position, and one copy alone is") {
  StateTable state{};
  state.kind = StateKind::recurrent;
  state.layers = 3;
  state.heads = 1;
  state.entries = recurrent_copies;
  state.row_bytes = 64;
  CHECK(state_holds(state, {0, 0, 0}));  // it begins with 0
  CHECK_FALSE(state_holds(state, {0, 7, 9}));
  CHECK(state_holds(state, {.slot = 0, .position = 7, .furthest = 9, .copy = 1}));
  CHECK(state_row(state, 2, 0, 1) == 5);
  const std::span<const StateTable> states(&state, 1);
  CHECK(held_bytes(states, {.slot = 0, .position = 7, .furthest = 9, .copy = 1}) == 3 * 64);
  CHECK(held_bytes(states, {}) == 0);
  CHECK(slot_bytes(states) == 3 * 2 * 64);
  CHECK(slot_bytes(states, 1000) == slot_bytes(states));
  CHECK(slot_bytes_saved(states, 1000) == 0);
  CHECK(state_bytes_per_token(states) == 0);
}

TEST_CASE("a row of q8_0 is 34 bytes a block, and whole words; others are whole groups of 16 bytes") {
  CHECK(state_row_bytes(Dtype::q8_0, 32) == 36);
  CHECK(state_row_bytes(Dtype::q8_0, 96) == 3 * 34 + 2);
  for (const std::int64_t columns : {64, 128, 256, 512}) {
    CHECK(state_row_bytes(Dtype::q8_0, columns) == columns / 32 * 34);
    CHECK(32 * state_row_bytes(Dtype::q8_0, columns) == 17 * state_row_bytes(Dtype::f16, columns));
  }
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    for (const std::int64_t columns : {5, 8, 100}) CHECK(state_row_bytes(dtype, columns) == row_bytes(dtype, columns));
  }
}
