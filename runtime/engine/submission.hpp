// How long a submission is: passes that are submitted together are seen together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace monomorph {

/// As long as a reader waits without noticing: longer ones would print in bursts.
inline constexpr double submission_seconds = 0.1;

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// How many passes of `pass_seconds` fit into `seconds`, from 1 to `most`; 1 where a pass's time is not known yet (0).
inline std::int64_t passes_within(double seconds, double pass_seconds, std::int64_t most) {
  if (pass_seconds <= 0) return 1;
  const auto fitting = static_cast<std::int64_t>(std::min(seconds / pass_seconds, 1e6));
  return std::clamp<std::int64_t>(fitting, 1, std::max<std::int64_t>(most, 1));
}

}  // namespace monomorph
