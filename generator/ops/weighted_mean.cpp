// WeightedMean: of each element, the mean of the values that a slot's tokens had there, which weigh less the longer ago
// they were.
#include <algorithm>

#include "generator/graph/recurrences.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

using Operand = WeightedMeanOperand;

void verify(const Op& op, OperandCheck& check) {
  const AxisTable& axes = check.graph().axes;
  if (!check.operands(Operand::count, Operand::count)) return;
  const auto shape = recurrence_shape(check.in(Operand::state), axes);
  if (!shape || axes[shape->key].size != weighted_mean_numbers) {
    return check.fault("wants a state of slots x one x copies x (heads x (value x 3 numbers))");
  }
  if (check.in(Operand::state).element != Dtype::f32) check.fault("wants a state of f32");
  for (const std::size_t operand : {Operand::log_weights, Operand::values}) {
    if (!check.matrix(operand)) return;
    const Value& rows = check.in(operand);
    if (axes[rows.axes[0]].live != Live::tokens ||
        axes[rows.axes[1]].factors != std::vector{shape->heads, shape->value}) {
      return check.fault("wants weights and values of the tokens' heads x value");
    }
  }
  const std::vector<AxisId>& rows = check.in(Operand::values).axes;
  for (const std::size_t operand : {Operand::decays, Operand::bonus}) {
    check.storage(operand, Storage::weight);
    check.axes(operand, {rows[1]});
  }
  for (const std::string& name : names_in(as<WeightedMean>(op)->log_decay)) {
    if (name != decay_name) check.fault("has a decay of " + name + ", which is none of its numbers");
  }
  if (as<WeightedMean>(op)->log_decay.empty()) check.fault("has no decay");
  check.result(Storage::activation, rows);
  check.next_version(Operand::state);
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  return accepts_maps_alone(group, planning, 1 + static_cast<std::int64_t>(Operand::count));
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const RecurrenceShape shape = *recurrence_shape(planning.value(op.in[Operand::state]), planning.axes);
  const std::int64_t value = planning.axis(shape.value).size;
  Kernel& kernel = draft.kernel;
  kernel.path = "kernels/weighted_mean.comp";
  kernel.kind = KernelKind::recurrence;
  kernel.max_tile_tokens = value;
  kernel.about = about_of(draft.group(), planning);
  draft.set("value_dim", value);
  draft.set("log_decay", KernelFunction{as<WeightedMean>(op)->log_decay, {{"x", Type::real}}});
  draft.state("state", op.in[Operand::state], Access::read_write, 1);
  draft.activation("log_weights", op.in[Operand::log_weights], Access::read);
  draft.activation("values", op.in[Operand::values], Access::read);
  draft.weight("decays", op.in[Operand::decays]);
  draft.weight("bonus", op.in[Operand::bonus]);
  draft.epilogue({op.out}, false);
  kernel.cost.bytes_per_row = 2 * weighted_mean_numbers * value * element_bytes(Dtype::f32);
  kernel.cost.flops_per_row = 20;  // of each element, which a pass counts as it does tokens
  draft.call.rows = {shape.heads};
  draft.call.count = Count::runs;
  draft.call.per_row = shape.value;
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  return {.function = "weighted_mean",
          .sizes = {graph.values[op.out].axes[1]},
          .expression = &as<WeightedMean>(op)->log_decay,
          .names = {decay_name},
          .operands = op.in,
          .positions = true};
}

}  // namespace

const OpType weighted_mean_type = {"weighted_mean", Access::read_write, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
