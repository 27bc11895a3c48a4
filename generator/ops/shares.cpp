// Shares: a row's elements as shares of a whole.
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(1, 1) || !check.matrix(0)) return;
  const Shares& shares = *as<Shares>(op);
  if (shares.eps < 0 || shares.floor < 0) check.fault("has a negative eps or floor");
  if (shares.type == ShareType::softmax && (shares.eps != 0 || shares.floor != 0)) {
    check.fault("is a softmax, whose sum has no eps and no floor");
  }
  check.result(Storage::activation, check.in(0).axes);
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  constexpr std::int64_t own_bindings = 2;  // the step, the row
  return accepts_maps_alone(group, planning, own_bindings);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Shares& shares = *as<Shares>(op);
  draft.kernel.path = "kernels/shares.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(planning.value(op.out).axes[1]).size);
  draft.set("type", name_of(shares.type));
  if (shares.type == ShareType::sum) {
    draft.set("eps", shares.eps);
    draft.set("least", shares.floor);
  }
  draft.activation("inputs", op.in[0], Access::read);
  draft.epilogue({op.out}, false);
}

ReferenceCall reference(const Op& op, const Graph&) {
  const Shares& shares = *as<Shares>(op);
  if (shares.type == ShareType::softmax) return {.function = "softmax", .operands = op.in};
  return {.function = "shares", .operands = op.in, .numbers = {shares.eps, shares.floor}};
}

}  // namespace

const OpType shares_type = {"shares", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
