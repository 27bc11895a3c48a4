// TopK: a choice of a row's largest scores, by groups where there are several.
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

constexpr std::int64_t max_groups = 256;  // a bit each in registers of the kernel

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(2, 1) || !check.matrix(0)) return;
  const std::vector<AxisId>& scores = check.in(0).axes;
  if (check.given(1)) {
    check.storage(1, Storage::weight);
    check.axes(1, {scores[1]});
  }
  const TopK& top = *as<TopK>(op);
  const std::int64_t columns = check.axis(scores[1]).size;
  if (top.groups < 1 || columns % top.groups != 0) return check.fault("has groups that do not divide its scores");
  const std::int64_t of_a_group = columns / top.groups;
  if (top.groups_kept < 1 || top.groups_kept > top.groups) check.fault("keeps more groups than there are, or none");
  if (top.groups > max_groups) check.fault("has too many groups");
  if (top.group_score == GroupScore::top2_sum && of_a_group < 2) check.fault("sums two scores of groups that have one");
  const Value& out = check.graph().values[op.out];
  if (out.axes.size() != 2) return check.fault("gives no choices of each token");
  const std::int64_t choices = check.axis(out.axes[1]).size;
  if (choices < 1 || choices > top.groups_kept * of_a_group) check.fault("chooses more than compete");
  check.result(Storage::activation, {scores[0], out.axes[1]});
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning&) { return group.ops.size() == 1; }

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const TopK& top = *as<TopK>(op);
  draft.kernel.path = "kernels/top_k.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(planning.value(op.in[0]).axes[1]).size);
  draft.set("choices", planning.axis(planning.value(op.out).axes[1]).size);
  draft.set("biased", static_cast<bool>(op.in[1]));
  draft.set("grouped", top.groups != top.groups_kept);
  if (top.groups != top.groups_kept) {
    draft.set("groups", top.groups);
    draft.set("groups_kept", top.groups_kept);
    draft.set("group_score", name_of(top.group_score));
  }
  draft.activation("scores", op.in[0], Access::read);
  if (op.in[1]) draft.weight("selection_bias", op.in[1]);
  draft.activation("chosen", op.out, Access::write);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  const TopK& top = *as<TopK>(op);
  ReferenceCall call = {.function = top.group_score == GroupScore::max ? "top_k" : "top_k_by_two",
                        .sizes = {graph.values[op.out].axes[1], top.groups, top.groups_kept},
                        .operands = {op.in[0]}};
  if (op.in[1]) call.operands.push_back(op.in[1]);
  return call;
}

}  // namespace

const OpType top_k_type = {"top_k", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
