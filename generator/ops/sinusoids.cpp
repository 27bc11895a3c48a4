// Sinusoids: of each row, the sines and cosines of its token's angles, as the embedding has them added (Vaswani et al.
// 2017).
#include <fmt/format.h>

#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(2, 2)) return;
  check.storage(0, Storage::angles);
  check.storage(1, Storage::host);
  const Value &angles = check.in(0), &positions = check.in(1);
  if (angles.storage != Storage::angles || positions.storage != Storage::host) return;
  if (positions.list != HostList::positions) return check.fault("wants the tokens' positions as operand 1");
  const Value& result = check.graph().values[op.out];
  if (result.axes.size() != 2) return check.fault("gives no rows");
  if (check.axis(result.axes[1]).size != check.axis(angles.axes[1]).size) check.fault("has other angles");
  check.result(Storage::activation, {positions.axes[0], result.axes[1]});
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning&) { return group.ops.size() == 1; }

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const std::int64_t columns = planning.axis(planning.value(op.out).axes[1]).size;
  draft.kernel.path = "kernels/sinusoids.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = planning.value(op.out).role + " = sines and cosines of the positions";
  draft.set("columns", columns);
  draft.set("layout", name_of(as<Sinusoids>(op)->layout));
  draft.set("angle_stride", row_stride(columns) / 2);
  draft.angles("angles", op.in[0]);
  draft.activation("outputs", op.out, Access::write);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  return {.function = fmt::format("sinusoids_{}", name_of(as<Sinusoids>(op)->layout)),
          .sizes = {graph.values[op.out].axes[1]},
          .operands = op.in};
}

}  // namespace

const OpType sinusoids_type = {"sinusoids", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
