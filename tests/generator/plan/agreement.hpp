// Whether a plan gives what its graph does: on an image of memory to the last bit, on devices to single precision.
#pragma once

#include <map>
#include <string>

#include "generator/plan/plan.hpp"
#include "tests/support/random_graph.hpp"

namespace monomorph::test {

/// Executed on the host: a prompt, single tokens, a prompt again, in the last slot.
bool agrees_on_host(const RandomGraph& random, const generator::Plan& plan);

/// By device at hand: the relative L2 error of the worst row of logits, over the same calls, in every slot in turn.
std::map<std::string, double> errors_on_devices(const RandomGraph& random, const generator::Plan& plan);

}  // namespace monomorph::test
