// Concat: two rows side by side.
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(2, 2) || !check.matrix(0) || !check.matrix(1)) return;
  const std::vector<AxisId>&first = check.in(0).axes, &second = check.in(1).axes;
  if (first[0] != second[0]) return check.fault("wants rows of the same tokens");
  const std::vector<AxisId>& out = check.graph().values[op.out].axes;
  if (out.size() != 2 || check.axis(out[1]).size != check.axis(first[1]).size + check.axis(second[1]).size) {
    return check.fault("gives another number of elements than both have");
  }
  check.result(Storage::activation, {first[0], out[1]});
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  constexpr std::int64_t own_bindings = 3;  // the step, both rows
  return accepts_maps_alone(group, planning, own_bindings);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  draft.kernel.path = "kernels/concat.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(planning.value(op.out).axes[1]).size);
  draft.set("first_columns", planning.axis(planning.value(op.in[0]).axes[1]).size);
  draft.activation("first", op.in[0], Access::read);
  draft.activation("second", op.in[1], Access::read);
  draft.epilogue({op.out}, false);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  return {.function = "concat", .sizes = {graph.values[op.out].axes[1]}, .operands = op.in};
}

}  // namespace

const OpType concat_type = {"concat", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
