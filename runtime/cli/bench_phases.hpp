// How `bench` measures: both phases of the same work, again and again.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/cli/bench_report.hpp"

namespace monomorph::cli {

/// Runs prefill and decode of `work`, which give their seconds, once unmeasured, since drivers allocate at the first
/// dispatch and caches are cold; then `repetitions` times, and keeps the seconds. Calls `step` after each phase.
template <class Work>
void measure_phases(Work& work, std::int64_t repetitions, const std::function<void()>& step, PhaseFigures& prefill,
                    PhaseFigures& decode) {
  for (std::int64_t i = 0; i <= repetitions; ++i) {
    const double of_prefill = work.prefill();
    step();
    const double of_decode = work.decode();
    step();
    if (i == 0) continue;
    prefill.seconds.push_back(of_prefill);
    decode.seconds.push_back(of_decode);
  }
}

}  // namespace monomorph::cli
