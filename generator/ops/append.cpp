// Append: keys or values of this pass's tokens become entries of a state, at the tokens' positions.
#include "generator/ops/heads.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(2, 2) || !check.matrix(1)) return;
  check.storage(0, Storage::state);
  const Value& state = check.in(0);
  if (state.axes.size() != 4) return check.fault("wants a state of slots x heads x positions x head");
  if (!check.is_row_of(state, check.in(1).axes[1])) {
    check.fault("wants an operand of the state's heads x head");
  }
  check.result(Storage::state, state.axes);
  if (check.graph().values[op.out].declared != state.declared) check.fault("gives another state");
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  return group.ops.size() == 1 || accepts_heads(group, planning);
}

void plan(Draft& draft) {
  if (draft.group().ops.size() > 1) return plan_head_chains(draft);
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Value& state = planning.value(op.in[0]);
  const std::int64_t head_dim = planning.axis(state.axes[3]).size;
  draft.call.word = "append_" + last_word(state.role);
  draft.kernel.path = "kernels/append.comp";
  draft.kernel.kind = KernelKind::heads;
  draft.kernel.about = state.role + "[position] = " + planning.value(op.in[1]).role;
  draft.set("head_dim", head_dim);
  draft.activation("inputs", op.in[1], Access::read);
  draft.state("state", op.out, Access::write, 2);
  draft.call.rows = {state.axes[1]};
}

ReferenceCall reference(const Op& op, const Graph&) {
  return {.function = "append", .operands = op.in, .positions = true};
}

}  // namespace

const OpType append_type = {"append", Access::write, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
