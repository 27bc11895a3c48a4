// Convolutions of the reference over positions that a slot has had.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/reference/activations.hpp"

namespace monomorph::reference {

/// Of each token, what the state has at its position and the `tap_count` - 1 before it, each times its own number of
/// the column: y(p)_c = bias_c + sum over j of state(p - (tap_count - 1) + j)_c * taps_cj. What is before the sequence
/// is 0. `state`: [positions, columns], to the end of this pass, whose tokens begin at first_position; `taps`:
/// [columns, tap_count].
template <std::int64_t columns, std::int64_t tap_count>
Activations<columns> convolve(const std::vector<double>& state, const std::vector<double>& taps,
                              const std::vector<double>& bias, std::int64_t first_position) {
  Activations<columns> y(static_cast<std::int64_t>(state.size()) / columns - first_position);
  for (std::int64_t t = 0; t < y.tokens(); ++t) {
    std::copy(bias.begin(), bias.end(), y.row(t).begin());
    for (std::int64_t tap = 0; tap < tap_count; ++tap) {
      const std::int64_t from = first_position + t - (tap_count - 1) + tap;
      if (from < 0) continue;
      for (std::int64_t c = 0; c < columns; ++c) {
        y.row(t)[c] +=
            state[static_cast<std::size_t>(from * columns + c)] * taps[static_cast<std::size_t>(c * tap_count + tap)];
      }
    }
  }
  return y;
}

template <std::int64_t columns, std::int64_t tap_count>
Activations<columns> convolve(const std::vector<double>& state, const std::vector<double>& taps,
                              std::int64_t first_position) {
  return convolve<columns, tap_count>(state, taps, std::vector<double>(columns), first_position);
}

/// Of each token what the one before has, 0 before the sequence: [tokens, columns].
template <std::int64_t columns>
Activations<columns> token_before(const std::vector<double>& state, std::int64_t first_position) {
  Activations<columns> y(static_cast<std::int64_t>(state.size()) / columns - first_position);
  for (std::int64_t t = first_position == 0 ? 1 : 0; t < y.tokens(); ++t) {
    const auto from = state.begin() + (first_position + t - 1) * columns;
    std::copy(from, from + columns, y.row(t).begin());
  }
  return y;
}

}  // namespace monomorph::reference
