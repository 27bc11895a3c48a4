// Norm: RMSNorm or LayerNorm of a row, or of each head of a row.
#include <algorithm>

#include "generator/ops/heads.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/prologue.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

bool is_of_heads(const Op& op, const Graph& graph) { return as<Norm>(op)->over != graph.values[op.in[0]].axes[1]; }

void verify(const Op& op, OperandCheck& check) {
  const Norm& norm = *as<Norm>(op);
  if (!check.operands(3, 1) || !check.matrix(0)) return;
  const std::vector<AxisId>& axes = check.in(0).axes;
  if (norm.over != axes[1] && !check.graph().axes.outer_of(axes[1], norm.over)) {
    return check.fault("is over no run of its operand's elements");
  }
  for (const std::size_t vector : {1, 2}) {
    if (!check.given(vector)) continue;
    check.storage(vector, Storage::weight);
    const bool one = norm.type == NormType::scale_norm && vector == 1;
    // Of heads: one head's elements for all of them, or those of the whole row.
    if (!one && check.in(vector).axes != std::vector{axes[1]}) check.axes(vector, {norm.over});
    if (one && (check.in(vector).axes.size() != 1 || check.axis(check.in(vector).axes[0]).size != 1)) {
      check.fault("is a ScaleNorm, whose weight is one number");
    }
  }
  if (norm.type != NormType::layer_norm && check.given(2)) check.fault("is no LayerNorm, and has a bias");
  if (norm.type == NormType::scale_norm && !check.given(1)) check.fault("is a ScaleNorm without its number");
  if (norm.weight_offset != 0 && !check.given(1)) check.fault("has an offset of weights that are not there");
  if (is_of_heads(op, check.graph()) && norm.type == NormType::scale_norm) check.fault("of heads is no ScaleNorm");
  if (check.given(1) && check.given(2) && norm.type != NormType::scale_norm && check.in(1).axes != check.in(2).axes) {
    check.fault("has weights and a bias of other axes");
  }
  check.result(Storage::activation, axes);
}

bool reads_quads(const Op& op, std::size_t operand, const Graph& graph) {
  return operand == 0 && !is_of_heads(op, graph);
}

bool accepts(const Group& group, const Planning& planning) {
  const Op& op = planning.op(group.anchor);
  if (is_of_heads(op, planning.graph)) return group.ops.size() == 1 || accepts_heads(group, planning);
  if (ops_of<Norm>(group, planning).size() != 1 || !accepts_prologue(group, planning, op.in[0])) return false;
  const std::size_t prologue = prologue_ops(group, planning, op.in[0]).size();
  if (group.ops.size() != 1 + prologue + ops_of<Map>(group, planning).size()) return false;
  const std::int64_t bindings = 3 + (op.in[2] ? 1 : 0) + epilogue_bindings(group, planning);
  return bindings <= max_bindings && accepts_epilogue(group, planning, {op.out}, max_step_operands, true);
}

void plan_heads(Draft& draft, const Op& op) {
  const Planning& planning = draft.planning();
  const Norm& norm = *as<Norm>(op);
  draft.kernel.path = "kernels/norm_heads.comp";
  draft.kernel.kind = KernelKind::heads;
  draft.set("head_dim", planning.axis(norm.over).size);
  draft.set("norm", name_of(norm.type));
  draft.set("eps", norm.eps);
  draft.set("norm_weighted", static_cast<bool>(op.in[1]));
  draft.set("norm_bias", static_cast<bool>(op.in[2]));
  draft.set("norm_per_head", has_weights_per_head(op, planning.graph));
  draft.set("norm_offset", norm.weight_offset != 0);
  if (norm.weight_offset != 0) draft.set("weight_offset", norm.weight_offset);
  if (op.in[1]) draft.weight("norm_weight", op.in[1]);
  if (op.in[2]) draft.weight("norm_bias_vector", op.in[2]);
  draft.activation("inputs", op.in[0], Access::read);
  draft.activation("outputs", op.out, Access::write);
  draft.call.rows = {planning.axes.outer_of(planning.value(op.in[0]).axes[1], norm.over)};
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  if (draft.group().ops.size() > 1 && is_of_heads(op, planning.graph)) return plan_head_chains(draft);
  draft.kernel.about = about_of(draft.group(), planning);
  if (is_of_heads(op, planning.graph)) return plan_heads(draft, op);
  draft.kernel.path = "kernels/norm.comp";
  draft.kernel.kind = KernelKind::norm;
  const bool in_place = draft.shares_output(op.in[0]);
  plan_prologue(draft, op.in[0], &op, in_place);
  draft.epilogue({op.out}, true, in_place);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  const Norm& norm = *as<Norm>(op);
  const std::vector<ValueId> operands =
      norm.type != NormType::layer_norm ? std::vector{op.in[1], op.in[0]} : std::vector{op.in[1], op.in[2], op.in[0]};
  std::vector<double> numbers = {norm.eps};
  if (norm.weight_offset != 0) numbers.push_back(norm.weight_offset);
  ReferenceCall call{
      .function = name_of(norm.type), .sizes = {norm.over}, .weights = true, .operands = operands, .numbers = numbers};
  if (has_weights_per_head(op, graph)) call.sizes.push_back(graph.values[op.in[0]].axes[1]);
  return call;
}

}  // namespace

const OpType norm_type = {"norm", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
