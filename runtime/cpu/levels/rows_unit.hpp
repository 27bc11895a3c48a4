// What a level computes with rows of one format: a unit of it, as unit.hpp is one.
#pragma once

#include "runtime/cpu/levels/blends.hpp"
#include "runtime/cpu/levels/deinterleave.hpp"
#include "runtime/cpu/levels/digit_products.hpp"
#include "runtime/cpu/levels/panels.hpp"
#include "runtime/cpu/levels/products.hpp"

namespace monomorph::cpu {
namespace {

template <class Format>
constexpr RowLoops loops_of() {
  RowLoops loops{};
  loops.multiply = multiply<Format>;
  loops.multiply_packed = multiply_packed<Format>;
  if constexpr (Format::of_states) loops.blend = blend<Format>;
#ifdef MONOMORPH_DIGITS
  if constexpr (requires { RowsInLanes<Format, BlocksOfRows>::zero; }) {
    loops.multiply_digits = multiply_digits<Format>;
    loops.multiply_interleaved = multiply_interleaved<Format>;
    loops.deinterleave = deinterleave<Format>;
  }
#endif
  return loops;
}

}  // namespace
}  // namespace monomorph::cpu
