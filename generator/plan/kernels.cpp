// Kernels as such: which are one, what they are called.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/contract/names.hpp"
#include "generator/graph/builder.hpp"
#include "generator/plan/draft.hpp"
#include "generator/plan/make.hpp"
#include "generator/plan/words.hpp"

namespace monomorph::generator {
namespace {

bool same(const Parameter& a, const Parameter& b);

bool same(const Parameters& a, const Parameters& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
}

bool same(const MapStep& a, const MapStep& b) {
  return a.names == b.names && equal(a.expression, b.expression) &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    [](const StepOperand& x, const StepOperand& y) { return x.from == y.from && x.index == y.index; });
}

bool same(const Parameter& a, const Parameter& b) {
  if (a.value.index() != b.value.index()) return false;
  if (const auto* steps = std::get_if<std::vector<MapStep>>(&a.value)) {
    const auto& others = std::get<std::vector<MapStep>>(b.value);
    return std::equal(steps->begin(), steps->end(), others.begin(), others.end(),
                      [](const MapStep& x, const MapStep& y) { return same(x, y); });
  }
  if (const auto* list = std::get_if<std::vector<Parameters>>(&a.value)) {
    const auto& others = std::get<std::vector<Parameters>>(b.value);
    return std::equal(list->begin(), list->end(), others.begin(), others.end(),
                      [](const Parameters& x, const Parameters& y) { return same(x, y); });
  }
  if (const auto* function = std::get_if<KernelFunction>(&a.value)) {
    const auto& other = std::get<KernelFunction>(b.value);
    return function->numbers == other.numbers && equal(function->gives, other.gives);
  }
  if (const auto* flag = std::get_if<bool>(&a.value)) return *flag == std::get<bool>(b.value);
  if (const auto* number = std::get_if<std::int64_t>(&a.value)) return *number == std::get<std::int64_t>(b.value);
  if (const auto* real = std::get_if<double>(&a.value)) return *real == std::get<double>(b.value);
  return std::get<std::string>(a.value) == std::get<std::string>(b.value);
}

/// What follows the words of a kernel's name: the phase where kernels of phases differ, and the type of the weights.
std::string suffix(const Kernel& kernel, const PhaseRow& phase) {
  std::string text;
  const bool by_phase = kernel.kind == KernelKind::matvec || kernel.kind == KernelKind::matvec_few ||
                        kernel.kind == KernelKind::matmul || kernel.kind == KernelKind::attention;
  if (by_phase) text += std::string("_") + word_of(phase.lowering);
  const auto dtype = kernel.parameters.find("dtype");
  const bool weights = std::any_of(kernel.bindings.begin(), kernel.bindings.end(),
                                   [](const KernelBinding& binding) { return binding.splits; });
  if (weights && dtype != kernel.parameters.end()) text += "_" + std::get<std::string>(dtype->second.value);
  return text;
}

}  // namespace

bool alike(const Kernel& a, const Kernel& b) {
  return a.path == b.path && a.kind == b.kind && a.max_tile_tokens == b.max_tile_tokens && a.lanes == b.lanes &&
         a.step_access == b.step_access && same(a.parameters, b.parameters) &&
         std::equal(a.bindings.begin(), a.bindings.end(), b.bindings.begin(), b.bindings.end(),
                    [](const KernelBinding& x, const KernelBinding& y) {
                      return x.name == y.name && x.access == y.access && x.splits == y.splits;
                    });
}

std::pair<Kernel, Call> plan_copy(const Plan& plan, const Planning& planning, ValueId value, BufferId from,
                                  BufferId to) {
  static const Expression identity = known_expression("x", {"x"});
  const std::int64_t columns = plan.axes[plan.buffers[from].axes[1]].size;
  Kernel kernel;
  kernel.path = "kernels/map.comp";
  kernel.kind = KernelKind::map;
  kernel.max_tile_tokens = planning.max_rows;
  kernel.about = planning.value(value).role + " to where the next layer reads it";
  kernel.parameters = {
      {"columns", columns},
      {"stage", "layers"},
      {"outputs_stride", row_stride(columns)},
      {"outputs_column", 0},
      {"steps", std::vector<MapStep>{{planning.value(value).role, identity, {"x"}, {{StepOperand::From::buffer, 0}}}}}};
  set_epilogue(kernel.parameters, {{row_stride(columns)}}, 0);
  kernel.bindings = {{"operand0", Access::read, false}, {"outputs", Access::write, false}};
  Call call;
  call.word = "copy_" + last_word(planning.value(value).role);
  call.arguments = {from, to};
  call.copies = value;
  return {std::move(kernel), std::move(call)};
}

void name_all(Plan& plan, const Contract& contract) {
  plan.axes.name_all();
  std::vector<NamedUse> uses;
  for (Buffer& buffer : plan.buffers) {
    buffer.role = buffer.number == 1 ? buffer.word : fmt::format("{}_{}", buffer.word, buffer.number);
    uses.push_back({buffer.role, buffer.users});
  }
  const std::vector<std::string> names = qualified_names(uses);
  for (const BufferId id : plan.buffers.ids()) plan.buffers[id].name = names[id.index];

  // A kernel is called after the first call of it; the kinds that call it tell it from others of that name.
  std::vector<NamedUse> kernels(plan.kernels.size());
  for (const PhasePlan& phase : plan.phases) {
    for (const Section& section : phase.sections) {
      for (const Call& call : section.calls) {
        NamedUse& use = kernels[call.kernel.index];
        if (use.word.empty()) use.word = call.word + suffix(plan.kernels[call.kernel], *phase.row);
        if (section.kind == Scope::model) continue;
        const std::string& user = contract.kinds[section.kind].kind.identifier;
        if (std::find(use.users.begin(), use.users.end(), user) == use.users.end()) use.users.push_back(user);
      }
    }
  }
  const std::vector<std::string> kernel_names = qualified_names(kernels);
  for (const KernelId id : plan.kernels.ids()) plan.kernels[id].name = kernel_names[id.index];
}

}  // namespace monomorph::generator
