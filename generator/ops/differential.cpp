// Differential: of two attentions the first minus lambda times the second, as differential attention has it.
#include <fmt/format.h>

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

bool accepts(const Group& group, const Planning&) { return group.ops.size() == 1; }

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  draft.kernel.path = "kernels/differential.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = fmt::format("{} = {} - lambda * {}", planning.value(op.out).role,
                                   planning.value(op.in[first]).role, planning.value(op.in[second]).role);
  draft.set("columns", planning.axis(planning.value(op.out).axes[1]).size);
  const AxisId of_vectors = planning.value(op.in[first_vector]).axes[0];
  draft.set("lambda_size", planning.axis(of_vectors).size);
  draft.weight("vectors", {op.in.begin() + first_vector, op.in.begin() + initial},
               std::vector(initial - first_vector, of_vectors), false);
  draft.weight("lambda_init", op.in[initial]);
  draft.activation("first", op.in[first], Access::read);
  draft.activation("second", op.in[second], Access::read);
  draft.activation("outputs", op.out, Access::write);
}

ReferenceCall reference(const Op& op, const Graph&) { return {.function = "differential", .operands = op.in}; }

}  // namespace

const OpType differential_type = {"differential", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
