// The plan as stable text: plan.txt of an emitted engine.
#include <fmt/format.h>

#include "generator/plan/names.hpp"
#include "generator/plan/plan.hpp"

namespace monomorph::generator {
namespace {

void weights(std::string& text, const std::string& title, const std::vector<WeightPlan>& weights) {
  text += title + "\n";
  for (const WeightPlan& weight : weights) {
    text += fmt::format("  {:<28} {:<52} {:>14} bytes\n", weight.contract.role, weight.type(), weight.bytes);
    for (const CheckpointPart& part : weight.contract.sources) {
      if (part.name.empty()) {
        text += fmt::format("    {} zeros\n", part.rows);
        continue;
      }
      text += fmt::format("    {} rows of {}{}{}\n", part.rows, part.name,
                          part.source_row != 0 ? fmt::format(" from row {}", part.source_row) : "",
                          part.transposed ? ", transposed" : "");
    }
  }
}

void calls(std::string& text, const std::string& title, const std::vector<CallPlan>& calls, const Plan& plan) {
  text += title + "\n";
  for (const CallPlan& call : calls) {
    const FunctionPlan& function = plan.functions[call.function];
    std::string arguments;
    for (const std::string& argument : call.arguments) arguments += (arguments.empty() ? "" : ", ") + argument;
    text += fmt::format("  {}({})\n    rows {}, tokens {}: {}\n", function.name, arguments, function.rows,
                        function.tokens, function.about);
  }
}

void phase(std::string& text, const std::string& name, const PhasePlan& phase, const Plan& plan,
           const Contract& contract) {
  if (!phase.prologue.empty()) calls(text, name + ", prologue", phase.prologue, plan);
  for (std::size_t kind = 0; kind < phase.layers.size(); ++kind) {
    calls(
        text,
        fmt::format("{}, layer of kind {} (x {})", name, contract.kinds[kind].name, contract.kinds[kind].layers.size()),
        phase.layers[kind], plan);
  }
  if (!phase.epilogue.empty()) calls(text, name, phase.epilogue, plan);
}

}  // namespace

std::string dump_plan(const Plan& plan, const Contract& contract) {
  std::string text = fmt::format("plan of {}\n\naxes\n", contract.name);
  for (const Axis& axis : plan.axes) text += fmt::format("  {:<24} {}\n", axis.name, axis.size);

  text += "\nmemory, bytes\n";
  text += fmt::format("  {:<14}{:>16}\n  {:<14}{:>16}\n  {:<14}{:>16}\n  {:<14}{:>16}\n  {:<14}{:>16}\n", "weights",
                      plan.weight_bytes, "cache", plan.cache_bytes, "activations", plan.activation_bytes, "state",
                      plan.state_bytes, "tables", plan.table_bytes);

  text += "\n";
  weights(text, "weights, once", plan.prologue_weights);
  for (std::size_t kind = 0; kind < plan.layer_weights.size(); ++kind) {
    weights(text, fmt::format("weights, layers of kind {}", contract.kinds[kind].name), plan.layer_weights[kind]);
  }
  weights(text, "weights, after the layers", plan.epilogue_weights);

  text += "\nbuffers\n";
  for (const BufferPlan& buffer : plan.buffers) {
    text += fmt::format("  {:<24} {:<44} {} at {}, {} bytes\n", buffer.name, buffer.type(), name_of(buffer.arena),
                        buffer.offset, buffer.bytes);
  }
  for (std::size_t kind = 0; kind < plan.caches.size(); ++kind) {
    const CachePlan& cache = plan.caches[kind];
    if (!cache.present) continue;
    text += fmt::format("  {:<24} {:<44} cache at {}, 2 x {} bytes a layer\n", "cache of " + contract.kinds[kind].name,
                        cache.type("keys"), cache.offset, cache.bytes);
  }

  text += "\nkernels\n";
  for (const KernelPlan& kernel : plan.kernels) {
    text += fmt::format("  {:<40} {:<24} {}\n", kernel.name, kernel.template_path, kernel.about);
  }
  text += fmt::format("\n{} dispatches a decoded token\n\n", plan.decode_dispatches(contract));
  phase(text, "prefill", plan.prefill, plan, contract);
  phase(text, "decode", plan.decode, plan, contract);
  phase(text, "head", plan.head, plan, contract);
  phase(text, "sample", plan.sample, plan, contract);
  return text;
}

}  // namespace monomorph::generator
