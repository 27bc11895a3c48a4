// All that a level computes. A file that includes this is compiled for one level, with flags of its own; everything but
// the level's table is unnamed, so that the linker cannot take a function of one level for that of another.
#pragma once

#include "runtime/cpu/levels/blends.hpp"
#include "runtime/cpu/levels/digits.hpp"
#include "runtime/cpu/levels/exponentials.hpp"
#include "runtime/cpu/levels/products.hpp"

namespace monomorph::cpu {
namespace {

/// In the order of RowFormat.
constexpr Level this_level(const char* name) {
  return {name,
          {multiply<F32>, multiply<F16>, multiply<Bf16>, multiply<CodesAndScales>, multiply<Q4_0>, multiply<Q8_0>,
           multiply<Q4K>, multiply<Q6K>, multiply<Q4_1>},
          {blend<F32>, blend<F16>, blend<Bf16>, blend<CodesAndScales>},
#ifdef MONOMORPH_DIGITS
          cut_into_digits,
          {nullptr, nullptr, nullptr, nullptr, multiply_digits<DigitsOfQ4_0>, nullptr, multiply_digits<DigitsOfQ4K>,
           nullptr, nullptr},
#else
          nullptr,
          {},
#endif
          exponentials};
}

}  // namespace
}  // namespace monomorph::cpu
