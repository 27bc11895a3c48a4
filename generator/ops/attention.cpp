// Attention: softmax attention of each token's queries over the entries of its slot, or over the tokens of the pass.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "generator/graph/distances.hpp"
#include "generator/graph/visibility.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"
#include "generator/plan/draft.hpp"

namespace monomorph::generator {
namespace {

/// Query rows of so many quads, of all terms, whose tile of attention fits the shared memory that every device has, 16
/// KiB, with workgroups of 128: a row takes its query, its scores and three statistics, and the tile 2 KiB of partial
/// results (shaders/attention.glsl), and where keys are listed two lists and two counts of each subgroup, of four
/// invocations at least (shaders/keys_listed.glsl).
std::int64_t attention_tile_rows(std::int64_t head_quads, bool listed) {
  constexpr std::int64_t shared_bytes = 16384, workgroup_size = 128, least_subgroup_size = 4;
  constexpr std::int64_t list_bytes = 2 * (workgroup_size + workgroup_size / least_subgroup_size) * 4;
  const std::int64_t row_bytes = head_quads * 16 + workgroup_size * 4 + 12;
  return (shared_bytes - workgroup_size * 16 - (listed ? list_bytes : 0)) / row_bytes;
}

/// Of keys and of values, as a state and as rows of the pass.
struct KeyAxes {
  AxisId heads, head;
};
std::optional<KeyAxes> key_axes(const Value& keys, const Graph& graph) {
  if (keys.axes.size() == 4) return KeyAxes{keys.axes[1], keys.axes[3]};
  const Axis& row = graph.axes[keys.axes.at(1)];
  return row.factors.size() == 2 ? std::optional(KeyAxes{row.factors[0], row.factors[1]}) : std::nullopt;
}

/// What `relative` gives: a bias of each query head, or elements that keys have added to themselves.
bool is_of_keys(const Value& relative, const Graph& graph, AxisId head) {
  return graph.axes[relative.axes[0]].factors.back() == head;
}

void verify_relative(const Op& op, AxisId heads, AxisId head, OperandCheck& check) {
  const Distances& distances = as<Attention>(op)->distances;
  if (!check.given(4)) {
    if (distances != Distances{}) check.fault("has distances, and no rows for them");
    return;
  }
  check.storage(4, Storage::weight);
  const Value& relative = check.in(4);
  const std::vector<AxisId> factors = relative.axes.size() == 1 ? check.axis(relative.axes[0]).factors : relative.axes;
  if (relative.axes.size() != 1 || factors.size() != 2 || (factors[1] != heads && factors[1] != head)) {
    return check.fault("wants rows of distances x heads, or distances x head");
  }
  if (distances.back < 0 || distances.ahead < 0) return check.fault("has no such distances");
  const auto of_distances = static_cast<std::int64_t>(distances.buckets.size());
  if (of_distances > 0 && of_distances != distances.back + distances.ahead + 1) {
    return check.fault("has buckets of other distances");
  }
  if (std::any_of(distances.buckets.begin(), distances.buckets.end(), [](std::int32_t bucket) { return bucket < 0; }) ||
      distances.bucket_count() > check.axis(factors[0]).size) {
    check.fault("has distances without a row");
  }
}

/// Axes of keys or values, which stand where the first term's keys do: in states alike, or in rows of the pass.
std::optional<KeyAxes> verify_keys(std::size_t operand, const Attention& attention, OperandCheck& check) {
  check.storage(operand, attention.causal ? Storage::state : Storage::activation);
  const std::vector<AxisId>&axes = check.in(operand).axes, &first = check.in(1).axes;
  const bool alike = axes.size() == (attention.causal ? 4 : 2) && axes.size() == first.size() && axes[0] == first[0] &&
                     (!attention.causal || axes[2] == first[2]);
  const std::optional<KeyAxes> found = alike ? key_axes(check.in(operand), check.graph()) : std::nullopt;
  if (!found) check.fault("wants keys and values of heads x head, at the same places");
  return found;
}

void verify_second_term(const Attention& attention, const KeyAxes& first, AxisId heads, OperandCheck& check) {
  if (check.given(6) != check.given(7)) return check.fault("has half of a second term");
  if (!check.given(6) || !check.matrix(6)) return;
  const std::optional<KeyAxes> second = verify_keys(7, attention, check);
  if (!second) return;
  if (second->heads != first.heads) check.fault("wants second keys of the same heads");
  if (check.in(6).axes[0] != check.in(0).axes[0] ||
      check.axis(check.in(6).axes[1]).factors != std::vector{heads, second->head}) {
    check.fault("wants second queries of heads x the second keys' head");
  }
}

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(8, 3) || !check.matrix(0)) return;
  const Attention& attention = *as<Attention>(op);
  const std::optional<KeyAxes> of_keys = verify_keys(1, attention, check);
  const std::optional<KeyAxes> of_values = verify_keys(2, attention, check);
  if (!of_keys || !of_values) return;
  if (of_values->heads != of_keys->heads) return check.fault("wants keys and values of the same heads");
  const Axis& row = check.axis(check.in(0).axes[1]);
  if (row.factors.size() != 2 || row.factors[1] != of_keys->head) {
    return check.fault("wants queries of heads x the keys' head");
  }
  const Axis& heads = check.axis(row.factors[0]);
  if (heads.factors.size() != 2 || heads.factors[0] != of_keys->heads) {
    return check.fault("wants query heads that are the keys' heads x a group");
  }
  if (check.given(3)) {
    check.storage(3, Storage::weight);
    check.axes(3, {row.factors[0]});
  }
  verify_relative(op, row.factors[0], row.factors[1], check);
  if (check.given(5)) {
    check.storage(5, Storage::weight);
    const std::vector<AxisId>& axes = check.in(5).axes;
    if (axes.size() != 1 || check.axis(axes[0]).size != 1) check.fault("wants one number as the layer's scale");
  }
  verify_second_term(attention, *of_keys, row.factors[0], check);
  const auto given = std::count_if(op.in.begin(), op.in.end(), [](ValueId operand) { return bool(operand); });
  if (given + 2 > max_bindings) check.fault("reads more than a kernel binds beside the step and its result");
  const std::vector<AxisId>& out = check.graph().values[op.out].axes;
  if (out.size() != 2 || check.axis(out[1]).factors != std::vector{row.factors[0], of_values->head}) {
    return check.fault("wants a result of heads x the values' head");
  }
  check.result(Storage::activation, {check.in(0).axes[0], out[1]});
  const std::int64_t slopes = static_cast<std::int64_t>(attention.slopes.size());
  if (slopes > 0 && slopes != heads.size) check.fault("has slopes of another number of heads");
  if (attention.recent < 0 || attention.first < 0 || (attention.first > 0 && attention.recent == 0)) {
    check.fault("has no such window");
  }
  if (!attention.causal && attention.recent > 0) check.fault("keeps no keys, and has a window");
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning&) { return group.ops.size() == 1; }

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Value& keys = planning.value(op.in[1]);
  const Axis& row = planning.axis(planning.value(op.in[0]).axes[1]);
  const AxisId group = planning.axis(row.factors[0]).factors[1];
  const auto width = [&](std::size_t operand) {
    return planning.axis(key_axes(planning.value(op.in[operand]), planning.graph)->head).size;
  };
  const auto quads = [](std::int64_t elements) { return (elements + 3) / 4; };
  const bool has_second_term = static_cast<bool>(op.in[7]);
  const std::int64_t head_dim = width(1), value_dim = width(2), second_dim = has_second_term ? width(7) : 0;
  const std::int64_t head_quads = quads(head_dim) + quads(second_dim);
  const std::int64_t group_size = planning.axis(group).size;
  Kernel& kernel = draft.kernel;
  kernel.path = "kernels/attention.comp";
  kernel.kind = KernelKind::attention;
  const Attention& attention = *as<Attention>(op);
  kernel.max_tile_tokens =
      std::min(planning.max_rows * group_size, attention_tile_rows(head_quads, has_holes(attention)));
  const std::string scores = fmt::format("{}attention_scale * {}queries x keys",
                                         attention.score.empty() ? "" : "score of ", op.in[5] ? "layer_scale * " : "");
  const Expression visible = visibility(attention);
  const std::string seen =
      fmt::format("{}{}", attention.causal ? "causal" : "of the whole pass", visible.empty() ? "" : " and masked");
  kernel.about = fmt::format("{} = softmax({}, {}) x values", planning.value(op.out).role, scores, seen);
  draft.set("head_dim", head_dim);
  draft.set("head_quads", head_quads);
  draft.set("value_dim", value_dim);
  draft.set("value_quads", quads(value_dim));
  draft.set("has_second_term", has_second_term);
  if (has_second_term) {
    draft.set("first_quads", quads(head_dim));
    draft.set("second_dim", second_dim);
  }
  draft.set("kv_group_size", group_size);
  draft.set("attention_scale", attention.scale);
  draft.set("has_layer_scale", static_cast<bool>(op.in[5]));
  draft.set("has_score", !attention.score.empty());
  draft.set("has_mask", !visible.empty());
  draft.set("has_holes", has_holes(attention));
  draft.set("has_slopes", !attention.slopes.empty());
  draft.set("has_sinks", static_cast<bool>(op.in[3]));
  draft.set("has_window", attention.recent > 0);
  if (!attention.score.empty()) draft.set("score", attention.score);
  if (!visible.empty()) draft.set("mask", visible);
  if (attention.recent > 0) {
    draft.set("window_recent", attention.recent);
    draft.set("window_first", attention.first);
  }
  const bool relative = static_cast<bool>(op.in[4]);
  const bool of_keys = relative && is_of_keys(planning.value(op.in[4]), planning.graph, row.factors[1]);
  draft.set("has_bias", relative && !of_keys);
  draft.set("has_relative_keys", of_keys);
  if (relative) {
    const Distances& distances = attention.distances;
    draft.set("most_back", distances.back);
    draft.set("most_ahead", distances.ahead);
    draft.set("row", row_of_distance(distances));
    if (!of_keys) draft.set("heads", planning.axis(row.factors[0]).size);
  }
  std::vector<Parameters> slopes;
  for (const float slope : attention.slopes) slopes.push_back({{"slope", static_cast<double>(slope)}});
  if (!slopes.empty()) draft.set("slopes", std::move(slopes));
  draft.activation("queries", op.in[0], Access::read);
  if (has_second_term) draft.activation("second_queries", op.in[6], Access::read);
  std::int64_t entry_bytes = 0;
  const auto bind_keys = [&](const std::string& name, std::size_t operand, std::int64_t elements) {
    const std::int64_t bytes = row_bytes(attention.causal ? keys.element : Dtype::f32, elements);
    entry_bytes += bytes;
    if (!attention.causal) return draft.activation("pass_" + name, op.in[operand], Access::read);
    draft.set(name + "_cache_quads", bytes / (4 * element_bytes(keys.element)));
    draft.state(name, op.in[operand], Access::read);
  };
  if (!attention.causal) draft.set("has_state", false);
  bind_keys("keys", 1, head_dim);
  bind_keys("values", 2, value_dim);
  if (has_second_term) bind_keys("second_keys", 7, second_dim);
  if (op.in[3]) draft.weight("sinks", op.in[3]);
  if (relative) draft.weight("relative", op.in[4]);
  if (op.in[5]) draft.weight("layer_scale", op.in[5]);
  draft.activation("attended", op.out, Access::write);
  kernel.cost.bytes_per_key = entry_bytes;
  kernel.cost.flops_per_key = (of_keys ? 3 : 2) * head_dim + 2 * second_dim + 2 * value_dim;
  if (has_holes(attention)) kernel.sees = attention.causal ? causal(visible) : visible;
  kernel.cost.most_keys = attention.recent == 0 ? 0 : attention.recent + attention.first;
  draft.call.rows = {key_axes(keys, planning.graph)->heads};
  draft.call.count = Count::queries;
  draft.call.per_row = group;
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  const Axis& row = graph.axes[graph.values[op.in[0]].axes[1]];
  const Attention& attention = *as<Attention>(op);
  const bool plain =
      attention.causal && attention.score.empty() && visibility(attention).empty() && !op.in[3] && !op.in[4];
  const auto head_of = [&](std::size_t operand) { return key_axes(graph.values[op.in[operand]], graph)->head; };
  std::vector<std::variant<AxisId, std::int64_t>> sizes = {
      row.factors[0], key_axes(graph.values[op.in[1]], graph)->heads, row.factors[1]};
  std::optional<AxisId> second_head;
  if (op.in[7]) {
    second_head = head_of(7);
    sizes[2] = graph.axes[row.factors[1]].size + graph.axes[*second_head].size;
  }
  if (op.in[7] || head_of(2) != row.factors[1]) sizes.emplace_back(head_of(2));
  const bool of_keys = op.in[4] && is_of_keys(graph.values[op.in[4]], graph, row.factors[1]);
  return {.function = !attention.causal ? "pass_attention"
                      : plain           ? "attention"
                                        : "scored_attention",
          .sizes = sizes,
          .attention = plain ? nullptr : &attention,
          .relative = op.in[4],
          .relative_head = of_keys ? std::optional(row.factors[1]) : std::nullopt,
          .operands = std::vector(op.in.begin(), op.in.begin() + (op.in[3] ? 4 : 3)),
          .second_term = second_head ? std::vector{op.in[6], op.in[7]} : std::vector<ValueId>{},
          .term_heads = second_head ? std::vector{row.factors[1], *second_head} : std::vector<AxisId>{},
          .numbers = {attention.scale},
          .factor = op.in[5],
          .positions = true};
}

}  // namespace

const OpType attention_type = {"attention", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
