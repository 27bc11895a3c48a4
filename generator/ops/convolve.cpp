// Convolve: of each element, what the last positions have there, each times a number of its own; or what the one before
// has.
#include <algorithm>

#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

/// Its operands, in order; a bias may be none, and taps where there is none.
struct Operand {
  static constexpr std::size_t state = 0, taps = 1, bias = 2, count = 3;
};

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(Operand::count, Operand::taps)) return;
  check.storage(Operand::state, Storage::state);
  const Value& state = check.in(Operand::state);
  if (state.storage != Storage::state || state.axes.size() != 4) {
    return check.fault("wants a state of slots x heads x positions x head");
  }
  if (state.element != Dtype::f32) check.fault("wants a state of f32");
  const Value& result = check.graph().values[op.out];
  if (result.axes.size() != 2) return check.fault("gives no rows");
  if (!check.is_row_of(state, result.axes[1])) return check.fault("gives no rows of the state's");
  if (check.given(Operand::taps)) {
    check.storage(Operand::taps, Storage::weight);
    const std::vector<AxisId>& taps = check.in(Operand::taps).axes;
    if (taps.size() != 1 || check.axis(taps[0]).factors.size() != 2 ||
        check.axis(taps[0]).factors[0] != result.axes[1]) {
      return check.fault("wants some numbers of each element");
    }
  }
  if (check.given(Operand::bias)) {
    if (!check.given(Operand::taps)) check.fault("has a bias, and nothing that it is added to");
    check.storage(Operand::bias, Storage::weight);
    check.axes(Operand::bias, {result.axes[1]});
  }
  if (check.axis(result.axes[0]).live != Live::tokens) check.fault("gives no rows of tokens");
  check.result(Storage::activation, result.axes);
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  const Op& op = planning.op(group.anchor);
  return accepts_maps_alone(group, planning, 1 + std::ranges::count_if(op.in, [](ValueId in) { return bool(in); }));
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Value& state = planning.value(op.in[Operand::state]);
  draft.kernel.path = "kernels/convolve.comp";
  draft.kernel.kind = KernelKind::map;
  draft.kernel.about = about_of(draft.group(), planning);
  draft.set("columns", planning.axis(planning.value(op.out).axes[1]).size);
  draft.set("head_dim", planning.axis(state.axes[3]).size);
  const bool has_taps = static_cast<bool>(op.in[Operand::taps]);
  draft.set("has_taps", has_taps);
  if (has_taps) draft.set("tap_count", convolved_positions(op, planning.graph));
  draft.set("has_bias", static_cast<bool>(op.in[Operand::bias]));
  draft.state("state", op.in[Operand::state], Access::read, 1);
  if (has_taps) draft.weight("taps", op.in[Operand::taps]);
  if (op.in[Operand::bias]) draft.weight("bias", op.in[Operand::bias]);
  draft.epilogue({op.out}, false);
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  if (!op.in[Operand::taps]) {
    return {.function = "token_before",
            .sizes = {graph.values[op.out].axes[1]},
            .operands = {op.in[Operand::state]},
            .positions = true};
  }
  return {.function = "convolve",
          .sizes = {graph.values[op.out].axes[1], convolved_positions(op, graph)},
          .operands = std::vector(op.in.begin(), op.in.begin() + (op.in[Operand::bias] ? 3 : 2)),
          .positions = true};
}

}  // namespace

const OpType convolve_type = {"convolve", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
