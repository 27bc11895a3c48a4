// Linear: a matrix times each row. Its kernel may compute more: a norm before it, a second matrix of the same input,
// further matrices stacked below it, and Maps of what it gives.
#include <algorithm>

#include "generator/ops/choice.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/prologue.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

/// Rows of the pass that a workgroup of shaders/matvec_few.glsl takes at most: shared memory holds their sums.
constexpr std::int64_t few_tile_rows = 16;

/// Whether it multiplies with banks of its weight's rows.
bool is_banked(const Op& op) { return as<Linear>(op)->segments || op.in[3]; }

/// Of a weight whose rows are those of banks: what it may be multiplied with, and what that gives.
void verify_banks(const Op& op, OperandCheck& check) {
  const std::vector<AxisId>& weight = check.in(1).axes;
  const std::vector<AxisId>& banks = check.axis(weight[0]).factors;
  if (banks.size() != 2) return check.fault("wants a matrix whose rows are those of banks");
  const AxisId choices = check.given(3) ? choices_of(check, 3, banks[0]) : banks[0];
  if (!choices) return;
  if (check.given(3) && check.in(3).axes[0] != check.in(0).axes[0]) check.fault("wants a choice for each of its rows");
  const AxisTable& axes = check.graph().axes;
  const AxisId columns = check.in(0).axes[1];
  const bool fits = as<Linear>(op)->segments ? is_product(axes, columns, choices, weight[1]) : columns == weight[1];
  if (!fits) return check.fault("wants a matrix of its operand's columns");
  const std::vector<AxisId>& out = check.graph().values[op.out].axes;
  if (out.size() != 2 || !is_product(axes, out[1], choices, banks[1])) {
    return check.fault("gives a bank's rows for each choice");
  }
  check.result(Storage::activation, {check.in(0).axes[0], out[1]});
}

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(4, 2) || !check.matrix(0)) return;
  check.storage(1, Storage::weight);
  const Value& weight = check.in(1);
  if (weight.axes.size() != 2) return check.fault("wants a matrix of its operand's columns");
  if (check.given(2)) {
    check.storage(2, Storage::weight);
    check.axes(2, {weight.axes[0]});
  }
  if (is_banked(op)) return verify_banks(op, check);
  if (weight.axes[1] != check.in(0).axes[1]) return check.fault("wants a matrix of its operand's columns");
  check.result(Storage::activation, {check.in(0).axes[0], weight.axes[0]});
}

bool reads_quads(const Op& op, std::size_t operand, const Graph&) { return operand == 0 && !as<Linear>(op)->segments; }

/// Matrices that are read side by side, joined by the group's first Map; else they are stacked into one.
bool is_pair(const std::vector<OpId>& linears, const Group& group, const Planning& planning) {
  return linears.size() == 2 && !ops_of<Map>(group, planning).empty();
}

std::vector<ValueId> results(const std::vector<OpId>& ops, const Planning& planning) {
  std::vector<ValueId> values;
  for (const OpId id : ops) values.push_back(planning.op(id).out);
  return values;
}

/// A pair's matrices in the order of the first Map's operands: which is the gate is the Map's to say.
std::vector<OpId> matrices(const Group& group, const Planning& planning) {
  std::vector<OpId> linears = ops_of<Linear>(group, planning);
  if (is_pair(linears, group, planning)) {
    const Op& join = planning.op(ops_of<Map>(group, planning).front());
    if (!join.in.empty() && join.in[0] == planning.op(linears[1]).out) std::swap(linears[0], linears[1]);
  }
  return linears;
}

const WeightContract& weight_of(const Op& op, const Planning& planning) {
  return planning.contract.weights[{planning.value(op.in[1]).declared}];
}

bool accepts(const Group& group, const Planning& planning) {
  const std::vector<OpId> linears = matrices(group, planning);
  const Op& first = planning.op(linears.front());
  const bool pair = is_pair(linears, group, planning);
  for (const OpId id : linears) {
    const Op& op = planning.op(id);
    if (op.in[0] != first.in[0] || planning.format(op.in[1]) != planning.format(first.in[1])) return false;
    if (op.in[3] != first.in[3] || *as<Linear>(op) != *as<Linear>(first)) return false;
    // Of what is stacked, layers share all or nothing: the device holds it once, or once for each.
    const WeightContract &own = weight_of(op, planning), &other = weight_of(first, planning);
    if (own.scope != other.scope || (own.shared != other.shared && !pair)) return false;
  }
  if (pair && planning.value(first.in[1]).axes != planning.value(planning.op(linears[1]).in[1]).axes) return false;
  if (!accepts_prologue(group, planning, first.in[0])) return false;
  const std::vector<OpId> prologue = prologue_ops(group, planning, first.in[0]);
  const std::size_t maps = ops_of<Map>(group, planning).size();
  if (group.ops.size() != linears.size() + prologue.size() + maps) return false;
  // Banks are not stacked below others, and a row that several entries read is normed once, by a kernel of its own.
  const bool banked = is_banked(first);
  if (banked && (!prologue.empty() || (linears.size() > 1 && !pair))) return false;

  // The step, matrices, the choice, biases, the norm's vectors, the input.
  std::int64_t bindings = 2 + (pair ? 2 : 1) + (first.in[3] ? 1 : 0);
  if (pair) {
    for (const OpId id : linears) bindings += planning.op(id).in[2] ? 1 : 0;
  } else {
    bindings += std::any_of(linears.begin(), linears.end(), [&](OpId id) { return planning.op(id).in[2]; }) ? 1 : 0;
  }
  for (const OpId id : prologue) {
    if (as<Norm>(planning.op(id)) != nullptr) bindings += planning.op(id).in[2] ? 2 : 1;
  }
  if (bindings + epilogue_bindings(group, planning) > max_bindings) return false;
  const std::vector<ValueId> given = results(linears, planning);
  if (pair || linears.size() == 1) return accepts_epilogue(group, planning, given, max_step_operands, false);
  return maps == 0 &&
         std::all_of(given.begin(), given.end(), [&](ValueId value) { return is_column(value, planning); });
}

/// What an entry of a row is, and where its bank is said.
void plan_banks(Draft& draft, const Op& op) {
  const Planning& planning = draft.planning();
  const std::vector<AxisId>& banks = planning.axis(planning.value(op.in[1]).axes[0]).factors;
  const AxisId choices = op.in[3] ? planning.value(op.in[3]).axes[1] : banks[0];
  draft.set("banked", true);
  draft.set("banks", planning.axis(banks[0]).size);
  draft.set("bank_rows", planning.axis(banks[1]).size);
  draft.set("choices", planning.axis(choices).size);
  draft.set("chosen", static_cast<bool>(op.in[3]));
  if (op.in[3]) {
    draft.activation(std::string(choice_binding), op.in[3], Access::read);
    if (draft.placement().place(op.in[3]).first_column != 0) {
      throw InternalError("plan: " + planning.value(op.in[3]).role + " begins inside a row");
    }
  }
  draft.call.rows = {banks[1]};
  draft.call.banks = banks[0];
  draft.call.per_row = choices;
  draft.call.count = planning.phase.lowering == Lowering::tiles ? Count::banks : Count::queries;
}

/// The rows that it multiplies, of which a norm may come before.
void plan_inputs(Draft& draft, const Op& op) {
  if (!as<Linear>(op)->segments) return plan_prologue(draft, op.in[0], nullptr, false);
  const Planning& planning = draft.planning();
  const std::int64_t columns = planning.axis(planning.value(op.in[1]).axes[1]).size;
  draft.set("columns", columns);
  draft.set("column_quads", row_stride(columns) / 4);
  draft.set("picked_rows", false);
  draft.set("norm", "none");
  draft.set("in_place", false);
  draft.set("segments", true);
  const bool whole_quads = columns % 4 == 0 && draft.placement().place(op.in[0]).first_column % 4 == 0;
  draft.set("whole_quads", whole_quads);
  draft.activation(whole_quads ? "entry_quads" : "entry_inputs", op.in[0], Access::read);
}

/// Binds a bias by rows, where any of these matrices has one.
bool plan_bias(Draft& draft, const std::string& name, const std::vector<OpId>& linears) {
  std::vector<ValueId> biases;
  std::vector<AxisId> rows;
  for (const OpId id : linears) {
    const Op& op = draft.planning().op(id);
    biases.push_back(op.in[2]);
    rows.push_back(draft.planning().value(op.in[1]).axes[0]);
  }
  if (std::none_of(biases.begin(), biases.end(), [](ValueId bias) { return static_cast<bool>(bias); })) return false;
  draft.weight(name, biases, rows, false);
  return true;
}

/// Which kernel it is, and how many rows a workgroup of it may take. Of banks, few rows are multiplied one by one: they
/// seldom have the same.
void set_way(Kernel& kernel, const Op& first, const Planning& planning) {
  if (planning.phase.lowering == Lowering::tiles) {
    kernel.path = "kernels/matmul.comp";
    kernel.kind = KernelKind::matmul;
    kernel.max_tile_tokens = planning.max_rows;
  } else if (planning.phase.lowering == Lowering::few && !is_banked(first)) {
    kernel.path = "kernels/matvec_few.comp";
    kernel.kind = KernelKind::matvec_few;
    kernel.max_tile_tokens = std::min(planning.max_rows, few_tile_rows);
  } else {
    kernel.path = "kernels/matvec.comp";
    kernel.kind = KernelKind::matvec;
    kernel.max_tile_tokens = 1;
  }
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Group& group = draft.group();
  const std::vector<OpId> linears = matrices(group, planning);
  const bool pair = is_pair(linears, group, planning);
  const Op& first = planning.op(linears[0]);
  Kernel& kernel = draft.kernel;
  set_way(kernel, first, planning);

  std::vector<ValueId> weights;
  std::vector<AxisId> rows;
  for (const OpId id : pair ? std::vector{linears[0]} : linears) {
    weights.push_back(planning.op(id).in[1]);
    rows.push_back(planning.value(weights.back()).axes[0]);
  }
  const Stored matrix = draft.weight("weights", weights, rows, true);
  if (pair) draft.weight("second_weights", planning.op(linears[1]).in[1], true);
  draft.set("first_bias", plan_bias(draft, "bias", pair ? std::vector{linears[0]} : linears));
  draft.set("second_bias", pair && plan_bias(draft, "second_bias_vector", {linears[1]}));
  plan_inputs(draft, first);

  const std::int64_t stored_row = row_bytes(matrix.format, matrix.columns);
  draft.row_layout(matrix.format, matrix.columns);
  draft.set("matrices", pair ? 2 : 1);
  // Results that are stacked are neighbouring columns: the first one's place is that of all.
  draft.epilogue(results(linears, planning), false);
  const std::int64_t count = pair ? 2 : 1;
  kernel.cost.bytes_per_row = count * stored_row;
  kernel.cost.flops_per_row = count * 2 * matrix.columns;
  kernel.about = about_of(group, planning);
  draft.call.rows = rows;
  if (is_banked(first)) plan_banks(draft, first);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  const std::vector<AxisId>& weight = graph.values[op.in[1]].axes;
  if (is_banked(op)) {
    ReferenceCall call = {.function = op.in[3] ? "linear_of_chosen" : "linear_by_bank",
                          .sizes = {graph.values[op.out].axes[1], graph.axes[weight[0]].factors[1], weight[1]},
                          .weights = true,
                          .operands = {op.in[1], op.in[2], op.in[0]}};
    if (op.in[3]) call.operands.push_back(op.in[3]);
    return call;
  }
  return {.function = "linear", .sizes = {weight[0]}, .weights = true, .operands = {op.in[1], op.in[2], op.in[0]}};
}

}  // namespace

const OpType linear_type = {"linear", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
