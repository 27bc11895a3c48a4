// Pick: the columns of a row that were chosen, or SparseMixer's softmax of each.
#include "generator/ops/choice.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(2, 2) || !check.matrix(0)) return;
  const std::vector<AxisId>& axes = check.in(0).axes;
  const AxisId choices = choices_of(check, 1, axes[1]);
  if (!choices) return;
  if (check.in(1).axes[0] != axes[0]) return check.fault("wants a choice for each of its rows");
  if (as<Pick>(op)->jitter.value_or(0) < 0) check.fault("has a negative jitter");
  check.result(Storage::activation, {axes[0], choices});
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  constexpr std::int64_t own_bindings = 3;  // the step, the row, the choice
  return accepts_maps_alone(group, planning, own_bindings);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  draft.kernel.path = "kernels/pick.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(planning.value(op.in[0]).axes[1]).size);
  draft.set("choices", planning.axis(planning.value(op.out).axes[1]).size);
  const std::optional<double>& jitter = as<Pick>(op)->jitter;
  draft.set("mixed", jitter.has_value());
  if (jitter) draft.set("tolerance", 2 * *jitter);
  draft.activation("inputs", op.in[0], Access::read);
  draft.activation("choice", op.in[1], Access::read);
  draft.epilogue({op.out}, false);
}

ReferenceCall reference(const Op& op, const Graph&) {
  const std::optional<double>& jitter = as<Pick>(op)->jitter;
  if (!jitter) return {.function = "pick", .operands = op.in};
  return {.function = "sparse_mixer", .operands = op.in, .numbers = {*jitter}};
}

}  // namespace

const OpType pick_type = {"pick", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
