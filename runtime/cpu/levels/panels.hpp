// Products of a panel: rows that were decoded, some columns of them, which stay in the first cache while every input
// passes by. The same code serves all formats.
#pragma once

#include "runtime/cpu/levels/row_formats.hpp"

#ifndef MONOMORPH_LEVEL
#error "a unit of a level is told which (units.cmake)"
#endif

namespace monomorph::cpu {
namespace {

constexpr int tile_rows = 4, most_tile_inputs = registers == 32 ? 5 : 3;
constexpr int panel_chunks = 8;

}  // namespace

namespace MONOMORPH_LEVEL {

/// What is multiplied at once: rows of floats, panel_chunks chunks apart, and inputs from a column on.
struct Panel {
  int row_count, input_count;  ///< tile_rows or 1, and at most most_tile_inputs
  const float* weights;
  std::int64_t chunks;
  const float* const* inputs;
  std::int64_t column;
  Floats* partial;  ///< sums that products are added to, [input][row]
};

/// Of the level's own unit, for the others to call.
void multiply_panel(const Panel& of);

}  // namespace MONOMORPH_LEVEL

namespace {

template <int rows, int inputs>
[[gnu::noinline]] void add_panel_products(const MONOMORPH_LEVEL::Panel& of) {
  Floats sums[rows][inputs];
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < inputs; ++i) sums[r][i] = of.partial[i * rows + r];
  }
  const float* at[inputs];
  for (int i = 0; i < inputs; ++i) at[i] = of.inputs[i] + of.column;
  for (std::int64_t c = 0; c < of.chunks * chunk; c += lanes) {
    Floats given[inputs];
    for (int i = 0; i < inputs; ++i) given[i] = load<Floats>(at[i] + c);
    for (int r = 0; r < rows; ++r) {
      const Floats weights = load<Floats>(of.weights + r * panel_chunks * chunk + c);
      for (int i = 0; i < inputs; ++i) sums[r][i] = multiply_add(weights, given[i], sums[r][i]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < inputs; ++i) of.partial[i * rows + r] = sums[r][i];
  }
}
template <int rows, int inputs = most_tile_inputs>
void add_products_of(const MONOMORPH_LEVEL::Panel& of) {
  if constexpr (inputs > 1) {
    if (of.input_count < inputs) return add_products_of<rows, inputs - 1>(of);
  }
  add_panel_products<rows, inputs>(of);
}

}  // namespace
}  // namespace monomorph::cpu
