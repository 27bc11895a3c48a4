// Map: an expression of values, element by element of the first.
#include <fmt/format.h>

#include <algorithm>

#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

void verify(const Op& op, OperandCheck& check) {
  const Map& map = *as<Map>(op);
  if (!check.operands(map.names.size(), map.names.size())) return;
  if (map.names.empty()) return check.fault("has no operands");
  if (static_cast<std::int64_t>(map.names.size()) > max_map_operands) return check.fault("has too many operands");
  if (!check.matrix(0)) return;
  for (std::size_t i = 1; i < op.in.size(); ++i) {
    if (check.graph().run_of(op.in[0], op.in[i]) == 0) {
      check.fault(fmt::format("cannot spread operand {} over the elements of the first", i));
    }
  }
  for (const std::string& name : names_in(map.expression)) {
    if (std::find(map.names.begin(), map.names.end(), name) == map.names.end()) {
      check.fault("has an expression of " + name + ", which is no operand");
    }
  }
  check.result(Storage::activation, check.in(0).axes);
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  if (ops_of<Map>(group, planning).size() != group.ops.size()) return false;
  return accepts_epilogue(group, planning, {}, max_map_operands, false);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Value& out = planning.value(planning.op(draft.group().ops.back()).out);
  draft.kernel.path = "kernels/map.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(out.axes[1]).size);
  draft.epilogue({}, false);
}

ReferenceCall reference(const Op& op, const Graph&) {
  const Map& map = *as<Map>(op);
  return {.function = "map", .expression = &map.expression, .names = map.names, .operands = op.in};
}

}  // namespace

const OpType map_type = {"map", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
