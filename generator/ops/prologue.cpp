#include "generator/ops/prologue.hpp"

#include <algorithm>

namespace monomorph::generator {
namespace {

const Op* writer_inside(const Group& group, const Planning& planning, ValueId value) {
  const OpId writer = planning.value(value).writer;
  const bool inside = writer && std::find(group.ops.begin(), group.ops.end(), writer) != group.ops.end();
  return inside ? &planning.op(writer) : nullptr;
}

}  // namespace

std::vector<OpId> prologue_ops(const Group& group, const Planning& planning, ValueId input) {
  std::vector<OpId> ops;
  const Op* op = writer_inside(group, planning, input);
  if (op != nullptr && as<Norm>(*op) != nullptr) {
    ops.push_back(planning.value(input).writer);
    input = op->in[0];
    op = writer_inside(group, planning, input);
  }
  if (op != nullptr && as<Gather>(*op) != nullptr) ops.push_back(planning.value(input).writer);
  return ops;
}

bool accepts_prologue(const Group& group, const Planning& planning, ValueId input) {
  for (const OpId id : prologue_ops(group, planning, input)) {
    const Op& op = planning.op(id);
    if (as<Gather>(op) != nullptr) {
      if (planning.value(op.in[0]).storage != Storage::activation) return false;
      if (planning.phase.stage != Stage::head) return false;
    } else if (planning.phase.lowering != Lowering::vector || as<Norm>(op)->over != planning.value(op.in[0]).axes[1]) {
      return false;
    }
  }
  return true;
}

void plan_prologue(Draft& draft, ValueId input, const Op* norm, bool in_place) {
  const Group& group = draft.group();
  const Planning& planning = draft.planning();
  if (norm == nullptr) {
    const Op* op = writer_inside(group, planning, input);
    if (op != nullptr && as<Norm>(*op) != nullptr) {
      norm = op;
      input = op->in[0];
    }
  }
  const std::int64_t columns = planning.axis(planning.value(input).axes[1]).size;
  bool picked = false;
  if (const Op* op = writer_inside(group, planning, input); op != nullptr && as<Gather>(*op) != nullptr) {
    picked = true;
    input = op->in[0];
  }
  draft.set("columns", columns);
  draft.set("column_quads", row_stride(columns) / 4);
  draft.set("picked_rows", picked);
  draft.set("banked", false);
  draft.set("segments", false);
  if (norm == nullptr) {
    draft.set("norm", "none");
  } else {
    const Norm& attributes = *as<Norm>(*norm);
    draft.set("norm", name_of(attributes.type));
    draft.set("eps", attributes.eps);
    draft.set("norm_weighted", static_cast<bool>(norm->in[1]));
    draft.set("norm_offset", attributes.weight_offset != 0);
    if (attributes.weight_offset != 0) draft.set("weight_offset", attributes.weight_offset);
    draft.set("norm_bias", static_cast<bool>(norm->in[2]));
    if (norm->in[1]) draft.weight("norm_weight", norm->in[1]);
    if (norm->in[2]) draft.weight("norm_bias_vector", norm->in[2]);
  }
  draft.set("in_place", in_place);
  if (!in_place) draft.rows("inputs", input, Access::read);
}

}  // namespace monomorph::generator
