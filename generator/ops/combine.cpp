// Combine: the sum of a row's runs, weighed or not.
#include "generator/ops/choice.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op&, OperandCheck& check) {
  if (!check.operands(2, 1) || !check.matrix(0)) return;
  const std::vector<AxisId>& axes = check.in(0).axes;
  const std::vector<AxisId>& factors = check.axis(axes[1]).factors;
  if (factors.size() != 2) return check.fault("wants a row of runs");
  if (check.given(1) && check.in(1).axes != std::vector{axes[0], factors[0]}) {
    return check.fault("wants a weight for each run of its row");
  }
  check.result(Storage::activation, {axes[0], factors[1]});
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  constexpr std::int64_t own_bindings = 3;  // the step, the row, the weights
  return accepts_maps_alone(group, planning, own_bindings);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  draft.kernel.path = "kernels/combine.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(planning.value(op.out).axes[1]).size);
  draft.set("runs", planning.axis(planning.axis(planning.value(op.in[0]).axes[1]).factors[0]).size);
  draft.set("weighed", static_cast<bool>(op.in[1]));
  draft.activation("inputs", op.in[0], Access::read);
  if (op.in[1]) draft.activation("run_weights", op.in[1], Access::read);
  draft.epilogue({op.out}, false);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  ReferenceCall call = {.function = "combine", .sizes = {graph.values[op.out].axes[1]}, .operands = {op.in[0]}};
  if (op.in[1]) call.operands.push_back(op.in[1]);
  return call;
}

}  // namespace

const OpType combine_type = {"combine", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
