// Gather: rows of a table, by token id or position, from an offset on; or rows of an activation, those whose logits are
// wanted.
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(2, 2)) return;
  check.storage(1, Storage::host);
  const Value &table = check.in(0), &indices = check.in(1);
  const bool is_table = table.storage == Storage::weight || table.storage == Storage::activation;
  if (!is_table || table.axes.size() != 2) return check.fault("wants a table of rows as operand 0");
  if (indices.axes.size() != 1) return check.fault("wants a list of indices as operand 1");
  check.result(Storage::activation, {indices.axes[0], table.axes[1]});
  const std::int64_t offset = as<Gather>(op)->offset;
  if (offset < 0 || offset >= check.axis(table.axes[0]).size) check.fault("begins outside its table");
  if (offset != 0 && table.storage != Storage::weight) check.fault("skips rows of an activation");
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  if (ops_of<Gather>(group, planning).size() != 1) return false;
  if (group.ops.size() != 1 + ops_of<Map>(group, planning).size()) return false;
  return accepts_epilogue(group, planning, {planning.op(group.anchor).out}, max_step_operands, false);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Value& table = planning.value(op.in[0]);
  const std::int64_t columns = planning.axis(table.axes[1]).size;
  const bool is_weight = table.storage == Storage::weight;
  draft.kernel.path = "kernels/gather.comp";
  draft.kernel.kind = KernelKind::gather;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", columns);
  draft.set("index", name_of(planning.value(op.in[1]).list));
  draft.set("offset", as<Gather>(op)->offset);
  Dtype format = Dtype::f32;
  if (is_weight) {
    format = draft.weight("weights", op.in[0], true).format;
    draft.kernel.cost.bytes_per_token = row_bytes(format, columns);
  } else {
    draft.rows("weights", op.in[0], Access::read);
  }
  draft.row_layout(format, columns);
  draft.set("matrices", 1);
  draft.epilogue({op.out}, false);
  draft.call.rows = {table.axes[0]};
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  const Value& table = graph.values[op.in[0]];
  const bool weights = table.storage == Storage::weight;
  ReferenceCall call = {
      .function = weights ? "gather" : "gather_rows", .sizes = {table.axes[1]}, .weights = weights, .operands = op.in};
  if (const std::int64_t offset = as<Gather>(op)->offset; offset != 0) call.sizes.emplace_back(offset);
  return call;
}

}  // namespace

const OpType gather_type = {"gather", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
