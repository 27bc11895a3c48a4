// Rotary: the rotary embedding of each head (Su et al. 2021), in either layout.
#include <fmt/format.h>

#include "generator/ops/heads.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(2, 2) || !check.matrix(0)) return;
  check.storage(1, Storage::angles);
  const Axis& row = check.axis(check.in(0).axes[1]);
  if (row.factors.size() != 2) return check.fault("wants an operand of heads x head");
  const std::int64_t rotary_dim = as<Rotary>(op)->rotary_dim;
  if (rotary_dim < 2 || rotary_dim % 2 != 0 || rotary_dim > check.axis(row.factors[1]).size) {
    check.fault("turns more than a head, or an odd part of it");
  }
  if (check.axis(check.in(1).axes.back()).size != rotary_dim) check.fault("has other angles");
  check.result(Storage::activation, check.in(0).axes);
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  return group.ops.size() == 1 || accepts_heads(group, planning);
}

void plan(Draft& draft) {
  if (draft.group().ops.size() > 1) return plan_head_chains(draft);
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Axis& row = planning.axis(planning.value(op.in[0]).axes[1]);
  const auto& [rotary_dim, layout] = *as<Rotary>(op);
  draft.call.word = "rotary_" + last_word(planning.value(op.in[0]).role);
  draft.kernel.path = "kernels/rotary.comp";
  draft.kernel.kind = KernelKind::heads;
  draft.kernel.about = planning.value(op.out).role + " = " + planning.value(op.in[0]).role + ", turned";
  draft.set("head_dim", planning.axis(row.factors[1]).size);
  draft.set("rotary_dim", rotary_dim);
  draft.set("layout", name_of(layout));
  draft.set("angle_stride", row_stride(rotary_dim) / 2);
  draft.angles("angles", op.in[1]);
  draft.activation("inputs", op.in[0], Access::read);
  draft.activation("outputs", op.out, Access::write);
  draft.call.rows = {row.factors[0]};
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  const Axis& row = graph.axes[graph.values[op.in[0]].axes[1]];
  return {.function = fmt::format("rotary_{}", name_of(as<Rotary>(op)->layout)),
          .sizes = {row.factors[0], row.factors[1], as<Rotary>(op)->rotary_dim},
          .operands = {op.in[1], op.in[0]},
          .positions = true,
          .length = true};
}

}  // namespace

const OpType rotary_type = {"rotary", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
