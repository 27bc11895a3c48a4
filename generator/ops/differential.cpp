// Differential: of two attentions the first minus lambda times the second, as differential attention has it.
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

/// Its operands, in order: two values, four vectors, a number.
constexpr std::size_t first = 0, second = 1, first_vector = 2, initial = 6, count = 7;

void verify(const Op&, OperandCheck& check) {
  if (!check.operands(count, count) || !check.matrix(first)) return;
  check.axes(second, check.in(first).axes);
  check.storage(second, Storage::activation);
  for (std::size_t operand = first_vector; operand < count; ++operand) check.storage(operand, Storage::weight);
  const std::vector<AxisId>& of_vectors = check.in(first_vector).axes;
  if (of_vectors.size() != 1) check.fault("wants vectors to make lambda of");
  for (std::size_t operand = first_vector + 1; operand < initial; ++operand) check.axes(operand, of_vectors);
  const std::vector<AxisId>& of_number = check.in(initial).axes;
  if (of_number.size() != 1 || check.axis(of_number[0]).size != 1) check.fault("wants one number to begin lambda with");
  check.result(Storage::activation, check.in(first).axes);
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

/// The norm of heads that the difference alone goes through; nullptr: the group has none.
const Norm* norm_of(const Group& group, const Planning& planning) {
  const std::vector<OpId> norms = ops_of<Norm>(group, planning);
  return norms.empty() ? nullptr : as<Norm>(planning.op(norms.front()));
}

/// The difference, its norm where that is an RMSNorm of heads without weights, and Maps of what that gives.
bool accepts(const Group& group, const Planning& planning) {
  ValueId computed = planning.op(group.anchor).out;
  const std::vector<OpId> norms = ops_of<Norm>(group, planning);
  if (!norms.empty()) {
    const Op& op = planning.op(norms.front());
    const Norm& norm = *as<Norm>(op);
    const bool of_heads = norm.over != planning.value(computed).axes[1];
    if (op.in[0] != computed || op.in[1] || !of_heads || norm.type != NormType::rms_norm) return false;
    computed = op.out;
  }
  if (norms.size() > 1 || group.ops.size() != 1 + norms.size() + ops_of<Map>(group, planning).size()) return false;
  constexpr std::int64_t own_bindings = 5;  // the step, two values, the vectors, the number
  return own_bindings + epilogue_bindings(group, planning) <= max_bindings &&
         accepts_epilogue(group, planning, {computed}, max_step_operands, false);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Norm* norm = norm_of(draft.group(), planning);
  const Axis& row = planning.axis(planning.value(op.out).axes[1]);
  draft.kernel.path = "kernels/differential.comp";
  draft.kernel.kind = norm != nullptr ? KernelKind::heads : KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("normed", norm != nullptr);
  draft.set("head_dim", norm != nullptr ? planning.axis(norm->over).size : row.size);
  if (norm != nullptr) draft.set("eps", norm->eps);
  const AxisId of_vectors = planning.value(op.in[first_vector]).axes[0];
  draft.set("lambda_size", planning.axis(of_vectors).size);
  draft.weight("vectors", {op.in.begin() + first_vector, op.in.begin() + initial},
               std::vector(initial - first_vector, of_vectors), false);
  draft.weight("lambda_init", op.in[initial]);
  draft.activation("first", op.in[first], Access::read);
  draft.activation("second", op.in[second], Access::read);
  draft.epilogue({norm != nullptr ? planning.op(ops_of<Norm>(draft.group(), planning).front()).out : op.out}, false);
  if (norm != nullptr) draft.call.rows = {planning.axes.outer_of(planning.value(op.out).axes[1], norm->over)};
}

ReferenceCall reference(const Op& op, const Graph&) { return {.function = "differential", .operands = op.in}; }

}  // namespace

const OpType differential_type = {"differential", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
