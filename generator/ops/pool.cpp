// Pool: the mean of the hidden states of a run, for each row that is wanted.
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op&, OperandCheck& check) {
  if (!check.operands(2, 2) || !check.matrix(0)) return;
  check.storage(1, Storage::host);
  const Value &states = check.in(0), &rows = check.in(1);
  if (check.axis(states.axes[0]).live != Live::tokens) return check.fault("wants hidden states of tokens as operand 0");
  if (rows.list != HostList::head_rows) return check.fault("wants the rows that are wanted as operand 1");
  check.result(Storage::activation, {rows.axes[0], states.axes[1]});
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  constexpr std::int64_t own_bindings = 2;  // the step, the hidden states
  return accepts_maps_alone(group, planning, own_bindings);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  draft.kernel.path = "kernels/pool.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(planning.value(op.out).axes[1]).size);
  draft.activation("inputs", op.in[0], Access::read);
  draft.epilogue({op.out}, false);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  return {.function = "mean_of_rows", .sizes = {graph.values[op.out].axes[1]}, .operands = op.in};
}

}  // namespace

const OpType pool_type = {"pool", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
