// Recurrence: matrices of heads, which every token of a slot changes and reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "generator/graph/builder.hpp"
#include "generator/graph/recurrences.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

using Operand = RecurrenceOperand;

/// Operands that have a run of keys for each head, or for each of fewer heads.
constexpr std::size_t by_key[] = {Operand::queries, Operand::keys, Operand::removed};
constexpr const char* key_names[] = {"queries", "keys", "removed"};

/// Elements of a column that a lane has in registers, where a subgroup has lanes enough.
constexpr std::int64_t keys_of_lane = 8;

/// What a decay may name beside its operands: the head's number.
constexpr const char* head_name = "head";

/// Numbers that one decay may be computed from: with them, a kernel binds what a device has at most.
constexpr std::size_t max_decays = 2;

bool is_run_of_keys(const Value& operand, const RecurrenceShape& shape, const AxisTable& axes) {
  if (operand.storage != Storage::activation || operand.axes.size() != 2) return false;
  const std::vector<AxisId>& factors = axes[operand.axes[1]].factors;
  return factors.size() == 2 && factors[1] == shape.key && axes[shape.heads].size % axes[factors[0]].size == 0;
}

/// Of a number for each head and key, and another one behind all of these.
bool is_pair_of_runs(const Value& operand, const RecurrenceShape& shape, const AxisTable& axes) {
  return operand.storage == Storage::activation && operand.axes.size() == 2 &&
         axes[operand.axes[1]].size == 2 * axes[shape.heads].size * axes[shape.key].size;
}

void verify_removal(const Op& op, const RecurrenceShape& shape, OperandCheck& check) {
  const Recurrence& recurrence = *as<Recurrence>(op);
  if (!check.given(Operand::removed)) {
    if (recurrence.removed_first) check.fault("removes nothing first");
    if (recurrence.erased_beside) check.fault("erases beside what it does not remove");
    if (check.given(Operand::rates)) check.fault("has rates of what it does not remove");
    return;
  }
  const Value& removed = check.in(Operand::removed);
  if (recurrence.erased_beside && !is_pair_of_runs(removed, shape, check.graph().axes)) {
    check.fault("wants what is removed, and beside it what is erased, of all heads and keys");
  }
  if (!recurrence.erased_beside && !is_run_of_keys(removed, shape, check.graph().axes)) {
    check.fault("wants what is removed as heads x the state's key");
  }
  if (!check.given(Operand::rates)) return;
  const auto strides = matrix_strides(check.in(Operand::rates), shape, check.graph().axes);
  if (!strides || strides->key != 0 || strides->value != 0) check.fault("wants a rate of each head");
}

void verify_decay(const Op& op, const RecurrenceShape& shape, OperandCheck& check) {
  const Recurrence& recurrence = *as<Recurrence>(op);
  if (recurrence.log_decay.empty() && !recurrence.names.empty()) check.fault("has operands of a decay that is none");
  if (recurrence.log_decay.empty() && recurrence.normalized) check.fault("is normalized by a decay that is none");
  if (recurrence.normalized && check.given(Operand::bonus))
    check.fault("is normalized, and has a bonus of what is not");
  if (recurrence.names.size() > max_decays) check.fault("has a decay of too many operands");
  for (const std::string& name : names_in(recurrence.log_decay)) {
    if (name != head_name && std::ranges::find(recurrence.names, name) == recurrence.names.end()) {
      check.fault("has a decay of " + name + ", which is no operand");
    }
  }
  for (std::size_t i = Operand::decays; i < op.in.size(); ++i) {
    if (!check.given(i) || !matrix_strides(check.in(i), shape, check.graph().axes)) {
      check.fault(fmt::format("wants operand {} as a number for each head, key, value or element", i));
    }
  }
}

/// Whether an operand is bound by itself: what is removed may be the keys.
bool is_bound(const Op& op, std::size_t operand) {
  return op.in[operand] && !(operand == Operand::removed && op.in[operand] == op.in[Operand::keys]);
}

std::int64_t bindings_of(const Op& op) {
  std::int64_t count = 1;  // the step
  for (std::size_t i = 0; i < op.in.size(); ++i) count += is_bound(op, i) ? 1 : 0;
  return count;
}

void verify(const Op& op, OperandCheck& check) {
  const AxisTable& axes = check.graph().axes;
  if (!check.operands(Operand::decays + as<Recurrence>(op)->names.size(), 1)) return;
  const auto shape = recurrence_shape(check.in(Operand::state), axes);
  if (!shape) return check.fault("wants a state of slots x one x copies x (heads x (value x key))");
  if (check.in(Operand::state).element != Dtype::f32) check.fault("wants a state of f32");
  if (!check.given(Operand::values) || !check.matrix(Operand::values)) return check.fault("lacks values");
  const Value& values = check.in(Operand::values);
  if (axes[values.axes[0]].live != Live::tokens) check.fault("wants values of tokens");
  if (axes[values.axes[1]].factors != std::vector{shape->heads, shape->value}) {
    check.fault("wants values of the state's heads x value");
  }
  for (const std::size_t operand : {Operand::queries, Operand::keys}) {
    if (check.given(operand) && !is_run_of_keys(check.in(operand), *shape, axes)) {
      check.fault(fmt::format("wants operand {} as heads x the state's key", operand));
    }
  }
  if (check.given(Operand::queries) != check.given(Operand::keys) ||
      (!check.given(Operand::keys) && axes[shape->key].size != 1)) {
    check.fault("wants queries and keys, or neither where keys have one element");
  }
  verify_removal(op, *shape, check);
  if (check.given(Operand::bonus)) {
    const auto strides = matrix_strides(check.in(Operand::bonus), *shape, axes);
    const bool fits = strides && strides->key == 1 && strides->value == 0;
    if (!fits || check.in(Operand::bonus).storage != Storage::weight) check.fault("wants a bonus of heads x key");
  }
  verify_decay(op, *shape, check);
  if (bindings_of(op) + 1 > max_bindings) check.fault("takes more operands than a kernel binds");
  check.result(Storage::activation, values.axes);
  check.next_version(Operand::state);
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning& planning) {
  if (group.ops.size() == 1) return true;
  return accepts_maps_alone(group, planning, bindings_of(planning.op(group.anchor)));
}

/// What goes of each head's matrix where that is the same for all tokens: a number that a driver rounded, or computed
/// as it likes, would be off in the same direction at every token.
std::vector<Parameters> losses_of(const Recurrence& recurrence, std::int64_t heads) {
  std::vector<Parameters> losses;
  for (std::int64_t head = 0; head < heads; ++head) {
    const double log_decay = evaluate(recurrence.log_decay, {{head_name, static_cast<double>(head)}});
    losses.push_back({{"loss", std::expm1(log_decay)}});
  }
  return losses;
}

/// What the kernel's decay is computed from, and how often: once for a head, for each key, or for each element.
void set_decay(const Op& op, const RecurrenceShape& shape, Draft& draft) {
  const Planning& planning = draft.planning();
  const Recurrence& recurrence = *as<Recurrence>(op);
  std::vector<Parameters> numbers;
  KernelFunction log_decay{recurrence.log_decay, {}};
  const bool of_head = names_in(recurrence.log_decay).contains(head_name);
  std::string every = "head";
  if (of_head) log_decay.numbers.push_back({head_name, Type::real});
  for (std::size_t i = 0; i < recurrence.names.size(); ++i) {
    const ValueId operand = op.in[Operand::decays + i];
    const MatrixStrides strides = *matrix_strides(planning.value(operand), shape, planning.axes);
    const std::string name = fmt::format("decay{}", i);
    const EpilogueOperand lies = draft.operand(name, operand);
    numbers.push_back({{"buffer", name},
                       {"row", lies.stride},
                       {"column", lies.column},
                       {"head", strides.head},
                       {"key", strides.key},
                       {"value", strides.value},
                       {"comma", i > 0 || of_head ? ", " : ""}});
    log_decay.numbers.push_back({recurrence.names[i], Type::real});
    if (strides.key != 0 && every == "head") every = "key";
    if (strides.value != 0) every = "element";
  }
  const bool constant = recurrence.names.empty() && !recurrence.log_decay.empty();
  draft.set("decay_by", recurrence.log_decay.empty() ? "none" : constant ? "constant" : every);
  for (std::size_t i = 0; i < max_decays; ++i) draft.set(fmt::format("has_decay{}", i), i < numbers.size());
  if (constant) return draft.set("losses", losses_of(recurrence, planning.axis(shape.heads).size));
  if (recurrence.log_decay.empty()) return;
  draft.set("decay_of_head", of_head);
  std::vector<std::string> parameters;
  for (const auto& [number, type] : log_decay.numbers) parameters.push_back("float " + number);
  draft.set("decay_parameters", fmt::format("{}", fmt::join(parameters, ", ")));
  draft.set("log_decay", std::move(log_decay));
  draft.set("decay_numbers", std::move(numbers));
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const RecurrenceShape shape = *recurrence_shape(planning.value(op.in[Operand::state]), planning.axes);
  const std::int64_t heads = planning.axis(shape.heads).size;
  const std::int64_t key = planning.axis(shape.key).size, value = planning.axis(shape.value).size;
  const Recurrence& recurrence = *as<Recurrence>(op);
  const bool removes = static_cast<bool>(op.in[Operand::removed]);
  Kernel& kernel = draft.kernel;
  kernel.path = "kernels/recurrence.comp";
  kernel.kind = KernelKind::recurrence;
  kernel.max_tile_tokens = value;
  kernel.lanes = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>((key - 1) / keys_of_lane + 1)));
  draft.set("most_lanes", kernel.lanes);
  kernel.about = about_of(draft.group(), planning);
  draft.set("key_dim", key);
  draft.set("value_dim", value);
  draft.set("has_keys", static_cast<bool>(op.in[Operand::keys]));
  draft.set("removes", removes);
  if (removes) {
    draft.set("removes_keys", !is_bound(op, Operand::removed));
    draft.set("erased_beside", recurrence.erased_beside);
    if (recurrence.erased_beside) draft.set("heads", heads);
    draft.set("removed_first", recurrence.removed_first);
  }
  draft.set("has_rates", static_cast<bool>(op.in[Operand::rates]));
  draft.set("normalized", recurrence.normalized);
  draft.set("has_bonus", static_cast<bool>(op.in[Operand::bonus]));
  draft.state("state", op.in[Operand::state], Access::read_write, 1);
  for (std::size_t i = 0; i < std::size(by_key); ++i) {
    if (!is_bound(op, by_key[i])) continue;
    const std::int64_t columns = planning.axis(planning.value(op.in[by_key[i]]).axes[1]).size;
    const std::int64_t runs = std::min(heads, columns / key);  // what is erased stands behind them
    draft.set(key_names[i] + std::string("_heads"), heads / runs);
    draft.activation(key_names[i], op.in[by_key[i]], Access::read);
  }
  draft.activation("values", op.in[Operand::values], Access::read);
  if (op.in[Operand::rates]) {
    const EpilogueOperand lies = draft.operand("rates", op.in[Operand::rates]);
    draft.set("rates_stride", lies.stride);
    draft.set("rates_column", lies.column);
  }
  if (op.in[Operand::bonus]) draft.weight("bonus", op.in[Operand::bonus]);
  set_decay(op, shape, draft);
  draft.epilogue({op.out}, false);
  kernel.cost.bytes_per_row = 2 * key * value * element_bytes(Dtype::f32);
  kernel.cost.flops_per_row = (removes ? 9 : 5) * key;  // of each column, which a pass counts as it does tokens
  draft.call.rows = {shape.heads};
  draft.call.count = Count::runs;
  draft.call.per_row = shape.value;
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  static const Expression none = known_expression("0", {});
  const Recurrence& recurrence = *as<Recurrence>(op);
  const RecurrenceShape shape = *recurrence_shape(graph.values[op.in[Operand::state]], graph.axes);
  ReferenceCall call{.function = "recurrence",
                     .sizes = {shape.heads, shape.key, shape.value, std::int64_t{recurrence.removed_first},
                               std::int64_t{recurrence.erased_beside}, std::int64_t{recurrence.normalized}},
                     .expression = recurrence.log_decay.empty() ? &none : &recurrence.log_decay,
                     .names = {head_name},
                     .operands = op.in,
                     .positions = true};
  call.names.insert(call.names.end(), recurrence.names.begin(), recurrence.names.end());
  for (std::size_t i = Operand::decays; i < op.in.size(); ++i) {
    const MatrixStrides strides = *matrix_strides(graph.values[op.in[i]], shape, graph.axes);
    for (const std::int64_t stride : {strides.head, strides.key, strides.value}) call.sizes.emplace_back(stride);
  }
  return call;
}

}  // namespace

const OpType recurrence_type = {"recurrence", Access::read_write, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
