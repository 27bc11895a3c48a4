// What a level computes with rows of one format: a unit of it, as unit.hpp is one.
#pragma once

#include "runtime/cpu/levels/blends.hpp"
#include "runtime/cpu/levels/deinterleave.hpp"
#include "runtime/cpu/levels/digit_products.hpp"
#include "runtime/cpu/levels/panels.hpp"
#include "runtime/cpu/levels/products.hpp"

namespace monomorph::cpu {
namespace {

/// As measured with eight lanes and with sixteen: packed, few inputs leave lanes empty. Digits in 32 bits are faster
/// than packed floats for any number of inputs; where a scale serves sixteen columns, for up to 48.
template <class Format>
constexpr std::int64_t few_inputs() {
  if constexpr (lanes == 4) return 4;
  if constexpr (Format::by_elements) return lanes == 8 ? 16 : 48;
#ifdef MONOMORPH_DIGITS
  if constexpr (requires { RowsInLanes<Format, BlocksOfRows>::zero; }) {
    if constexpr (lanes == 8) return 12;
    return RowsInLanes<Format, BlocksOfRows>::columns_of_scale == 8 ? most_packed : 48;
  }
#endif
  return 8;
}

template <class Format>
constexpr RowLoops loops_of() {
  RowLoops loops{};
  loops.few_inputs = few_inputs<Format>();
  loops.multiply = multiply<Format>;
  loops.multiply_packed = multiply_packed<Format>;
  if constexpr (Format::of_states) loops.blend = blend<Format>;
#ifdef MONOMORPH_DIGITS
  if constexpr (requires { RowsInLanes<Format, BlocksOfRows>::zero; }) {
    loops.multiply_digits = multiply_digits<Format>;
    loops.deinterleave = deinterleave<Format>;
  }
#endif
  return loops;
}

}  // namespace
}  // namespace monomorph::cpu
