// Whether a plan gives what its graph does: on an image of memory to the last bit, on devices to single precision.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/plan/plan.hpp"
#include "runtime/engine/device_info.hpp"
#include "tests/support/random_graph.hpp"

namespace monomorph::test {

/// A pass over tokens of a sequence at positions first...
struct Pass {
  std::int64_t first, tokens;
};

/// The number that an environment variable says; `otherwise` where it says none.
std::uint64_t count_of(const char* variable, std::uint64_t otherwise);

/// A prompt, single tokens, a prompt again.
inline const std::vector<Pass> few_passes = {{0, 3}, {3, 1}, {4, 1}, {5, 2}};

/// Executed on the host, in the last slot.
bool agrees_on_host(const RandomGraph& random, const generator::Plan& plan,
                    const std::vector<Pass>& passes = few_passes);

/// By device at hand, within `limits`: the relative L2 error of the worst row of logits, in every slot in turn.
std::map<std::string, double> errors_on_devices(const RandomGraph& random, const generator::Plan& plan,
                                                const std::vector<Pass>& passes = few_passes,
                                                const LimitOverrides& limits = {});

/// The same on the CPU, in three threads.
double error_on_cpu(const RandomGraph& random, const generator::Plan& plan,
                    const std::vector<Pass>& passes = few_passes);

}  // namespace monomorph::test
