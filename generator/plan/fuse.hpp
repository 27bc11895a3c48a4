// Fusion: groups of the graph's operations become calls of kernels. One pass over a section's operations, in order;
// every operation ends in exactly one call, or it is an InternalError.
#pragma once

#include "generator/plan/buffers.hpp"
#include "generator/plan/plan.hpp"

namespace monomorph::generator {

enum class Phase { prefill, decode, head };

/// Collects the kernels, functions and lifetimes while sections are planned.
class Planner {
 public:
  Planner(const Contract& contract, Plan& plan) : contract_(contract), plan_(plan) {}

  /// Plans one section. `kind` is the layer kind, or null for prologue and epilogue.
  std::vector<CallPlan> section(const std::vector<Op>& ops, Phase phase, const LayerContract* kind);
  /// The call that draws the next token.
  std::vector<CallPlan> sample();

  const ActivationBuffers& activations() const { return activations_; }

 private:
  friend class SectionPlanner;
  std::size_t add_function(const std::string& name, const KernelPlan& kernel, const std::string& rows,
                           const std::string& tokens);

  const Contract& contract_;
  Plan& plan_;
  ActivationBuffers activations_;
  std::size_t sections_ = 0;
};

}  // namespace monomorph::generator
