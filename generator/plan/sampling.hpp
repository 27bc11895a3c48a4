// The kernels that draw the next tokens: no operation of the graph, and the same for every model.
#pragma once

#include <vector>

#include "generator/plan/plan.hpp"

namespace monomorph::generator {

struct Sampling {
  Kernel kernel;
  Call call;
};

/// A scan of the logits in parts, over the whole device, then the draw; adds the buffer between them.
std::vector<Sampling> plan_sampling(const Contract& contract, Plan& plan);

}  // namespace monomorph::generator
