// Every kernel that a CPU runs: what an emitted engine's kernels are made of.
#pragma once

#include "runtime/cpu/kernels/attention.hpp"
#include "runtime/cpu/kernels/choices.hpp"
#include "runtime/cpu/kernels/heads.hpp"
#include "runtime/cpu/kernels/matrices.hpp"
#include "runtime/cpu/kernels/norms.hpp"
#include "runtime/cpu/kernels/recurrence.hpp"
#include "runtime/cpu/kernels/rows.hpp"

namespace monomorph::cpu {

template <class Kernel>
constexpr Function function() {
  Function function{Kernel::units, Kernel::run};
  if constexpr (requires(const Level& level) { Kernel::interleaves(level); })
    function.interleaves = Kernel::interleaves;
  return function;
}

}  // namespace monomorph::cpu
