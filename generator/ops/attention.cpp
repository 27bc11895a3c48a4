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

/// Its operands, in order; those from `sinks` on may be none.
struct Operand {
  static constexpr std::size_t queries = 0, keys = 1, values = 2, sinks = 3, relative = 4, layer_scale = 5,
                               second_queries = 6, second_keys = 7, count = 8;
};

constexpr std::int64_t workgroup_size = 128;  // which every device has

/// Query rows of so many quads, of all terms, whose tile of attention fits the shared memory that every device has, 16
/// KiB, with workgroups of 128: a row takes its query, its scores and three statistics, and the tile 2 KiB of partial
/// results (shaders/attention.glsl), and where keys are listed two lists and two counts of each subgroup, of four
/// invocations at least (shaders/keys_listed.glsl).
std::int64_t attention_tile_rows(std::int64_t head_quads, bool listed) {
  constexpr std::int64_t shared_bytes = 16384, least_subgroup_size = 4;
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
  if (!check.given(Operand::relative)) {
    if (distances != Distances{}) check.fault("has distances, and no rows for them");
    return;
  }
  check.storage(Operand::relative, Storage::weight);
  const Value& relative = check.in(Operand::relative);
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
  const bool kept = attention.causal || attention.of_source;
  check.storage(operand, kept ? Storage::state : Storage::activation);
  const std::vector<AxisId>&axes = check.in(operand).axes, &first = check.in(Operand::keys).axes;
  const bool alike = axes.size() == (kept ? 4 : 2) && axes.size() == first.size() && axes[0] == first[0] &&
                     (!kept || axes[2] == first[2]);
  const std::optional<KeyAxes> found = alike ? key_axes(check.in(operand), check.graph()) : std::nullopt;
  if (!found) check.fault("wants keys and values of heads x head, at the same places");
  return found;
}

void verify_second_term(const Attention& attention, const KeyAxes& first, AxisId heads, OperandCheck& check) {
  if (check.given(Operand::second_queries) != check.given(Operand::second_keys))
    return check.fault("has half of a second term");
  if (!check.given(Operand::second_queries) || !check.matrix(Operand::second_queries)) return;
  const std::optional<KeyAxes> second = verify_keys(Operand::second_keys, attention, check);
  if (!second) return;
  if (second->heads != first.heads) check.fault("wants second keys of the same heads");
  if (check.in(Operand::second_queries).axes[0] != check.in(Operand::queries).axes[0] ||
      check.axis(check.in(Operand::second_queries).axes[1]).factors != std::vector{heads, second->head}) {
    check.fault("wants second queries of heads x the second keys' head");
  }
}

void verify(const Op& op, OperandCheck& check) {
  if (!check.operands(Operand::count, Operand::sinks) || !check.matrix(Operand::queries)) return;
  const Attention& attention = *as<Attention>(op);
  const std::optional<KeyAxes> of_keys = verify_keys(Operand::keys, attention, check);
  const std::optional<KeyAxes> of_values = verify_keys(Operand::values, attention, check);
  if (!of_keys || !of_values) return;
  if (of_values->heads != of_keys->heads) return check.fault("wants keys and values of the same heads");
  const Axis& row = check.axis(check.in(Operand::queries).axes[1]);
  if (row.factors.size() != 2 || row.factors[1] != of_keys->head) {
    return check.fault("wants queries of heads x the keys' head");
  }
  const Axis& heads = check.axis(row.factors[0]);
  if (heads.factors.size() != 2 || heads.factors[0] != of_keys->heads) {
    return check.fault("wants query heads that are the keys' heads x a group");
  }
  if (check.given(Operand::sinks)) {
    check.storage(Operand::sinks, Storage::weight);
    check.axes(Operand::sinks, {row.factors[0]});
  }
  verify_relative(op, row.factors[0], row.factors[1], check);
  if (check.given(Operand::layer_scale)) {
    check.storage(Operand::layer_scale, Storage::weight);
    const std::vector<AxisId>& axes = check.in(Operand::layer_scale).axes;
    if (axes.size() != 1 || check.axis(axes[0]).size != 1) check.fault("wants one number as the layer's scale");
  }
  verify_second_term(attention, *of_keys, row.factors[0], check);
  const auto given = std::count_if(op.in.begin(), op.in.end(), [](ValueId operand) { return bool(operand); });
  if (given + 2 > max_bindings) check.fault("reads more than a kernel binds beside the step and its result");
  if (check.axis(of_values->head).size > 4 * workgroup_size)
    check.fault("has values whose quads are more than invocations");
  const std::vector<AxisId>& out = check.graph().values[op.out].axes;
  if (out.size() != 2 || check.axis(out[1]).factors != std::vector{row.factors[0], of_values->head}) {
    return check.fault("wants a result of heads x the values' head");
  }
  check.result(Storage::activation, {check.in(Operand::queries).axes[0], out[1]});
  const std::int64_t slopes = static_cast<std::int64_t>(attention.slopes.size());
  if (slopes > 0 && slopes != heads.size) check.fault("has slopes of another number of heads");
  if (attention.recent < 0 || attention.first < 0 || (attention.first > 0 && attention.recent == 0)) {
    check.fault("has no such window");
  }
  if (!attention.causal && attention.recent > 0) check.fault("keeps no keys, and has a window");
  if (attention.of_source && (attention.causal || !attention.mask.empty() || attention.distances != Distances{})) {
    check.fault("sees a source by positions, which are the query's");
  }
}

bool reads_quads(const Op&, std::size_t, const Graph&) { return false; }

bool accepts(const Group& group, const Planning&) { return group.ops.size() == 1; }

std::string about(const Op& op, const Planning& planning) {
  const Attention& attention = *as<Attention>(op);
  return fmt::format("{} = softmax({}attention_scale * {}queries x keys, {}{}) x values", planning.value(op.out).role,
                     attention.score.empty() ? "" : "score of ", op.in[Operand::layer_scale] ? "layer_scale * " : "",
                     attention.causal      ? "causal"
                     : attention.of_source ? "of the source"
                                           : "of the whole pass",
                     visibility(attention).empty() ? "" : " and masked");
}

/// What becomes of the products, and which of them there are.
void set_scores(const Attention& attention, Draft& draft) {
  const Expression visible = visibility(attention);
  draft.set("attention_scale", attention.scale);
  draft.set("has_score", !attention.score.empty());
  draft.set("has_mask", !visible.empty());
  draft.set("has_holes", has_holes(attention));
  draft.set("has_slopes", !attention.slopes.empty());
  draft.set("has_window", attention.recent > 0);
  if (!attention.score.empty()) {
    draft.set("score", KernelFunction{attention.score,
                                      {{"score", Type::real},
                                       {"query", Type::integer},
                                       {"key", Type::integer},
                                       {"head", Type::integer},
                                       {"slope", Type::real},
                                       {"bias", Type::real}}});
  }
  if (!visible.empty()) {
    draft.set("mask", KernelFunction{visible, {{"query", Type::integer}, {"key", Type::integer}}});
  }
  if (attention.recent > 0) {
    draft.set("window_recent", attention.recent);
    draft.set("window_first", attention.first);
  }
  std::vector<Parameters> slopes;
  for (const float slope : attention.slopes) slopes.push_back({{"slope", static_cast<double>(slope)}});
  if (!slopes.empty()) draft.set("slopes", std::move(slopes));
}

/// Whether distances give biases of so many heads, or elements of keys; and which row each has.
void set_distances(const Distances& distances, bool has_bias, bool has_keys, std::int64_t heads, Draft& draft) {
  draft.set("has_bias", has_bias);
  draft.set("has_relative_keys", has_keys);
  if (has_bias) draft.set("heads", heads);
  if (!has_bias && !has_keys) return;
  draft.set("most_back", distances.back);
  draft.set("most_ahead", distances.ahead);
  draft.set("row", KernelFunction{row_of_distance(distances), {{"distance", Type::integer}}});
}

/// Elements of a head: of keys, of values, and of the second term's keys, 0 without one.
struct Widths {
  std::int64_t keys = 0, values = 0, second_keys = 0;
  static std::int64_t quads(std::int64_t elements) { return (elements + 3) / 4; }
  std::int64_t quads_of_terms() const { return quads(keys) + quads(second_keys); }
};

Widths widths_of(const Op& op, const Planning& planning) {
  const auto width = [&](std::size_t operand) -> std::int64_t {
    if (!op.in[operand]) return 0;
    return planning.axis(key_axes(planning.value(op.in[operand]), planning.graph)->head).size;
  };
  return {width(Operand::keys), width(Operand::values), width(Operand::second_keys)};
}

void set_widths(const Widths& widths, Draft& draft) {
  draft.set("head_dim", widths.keys);
  draft.set("head_quads", widths.quads_of_terms());
  draft.set("value_dim", widths.values);
  draft.set("value_quads", Widths::quads(widths.values));
  draft.set("has_second_term", widths.second_keys > 0);
  if (widths.second_keys == 0) return;
  draft.set("first_quads", Widths::quads(widths.keys));
  draft.set("second_dim", widths.second_keys);
}

/// Binds keys or values, of states or of the pass; gives the bytes of an entry of a head.
std::int64_t bind_keys(const std::string& name, ValueId value, std::int64_t elements, Draft& draft) {
  const Value& keys = draft.planning().value(value);
  if (keys.storage != Storage::state) {
    draft.activation("pass_" + name, value, Access::read);
    return row_bytes(Dtype::f32, elements);
  }
  return draft.state(name, value, Access::read, 4);
}

void plan(Draft& draft) {
  const Planning& planning = draft.planning();
  const Op& op = planning.op(draft.group().anchor);
  const Attention& attention = *as<Attention>(op);
  const Axis& row = planning.axis(planning.value(op.in[Operand::queries]).axes[1]);
  const Axis& heads = planning.axis(row.factors[0]);
  const AxisId group = heads.factors[1];
  const std::int64_t group_size = planning.axis(group).size;
  const Widths widths = widths_of(op, planning);
  const ValueId relative = op.in[Operand::relative], layer_scale = op.in[Operand::layer_scale];
  const bool of_keys = relative && is_of_keys(planning.value(relative), planning.graph, row.factors[1]);
  Kernel& kernel = draft.kernel;
  kernel.path = "kernels/attention.comp";
  kernel.kind = KernelKind::attention;
  // Few rows are mostly those of as many runs, which a tile does not cross.
  const std::int64_t tokens = planning.phase.lowering == Lowering::few ? 1 : planning.max_rows;
  kernel.max_tile_tokens =
      std::min(tokens * group_size, attention_tile_rows(widths.quads_of_terms(), has_holes(attention)));
  kernel.about = about(op, planning);
  set_widths(widths, draft);
  set_scores(attention, draft);
  set_distances(attention.distances, relative && !of_keys, of_keys, heads.size, draft);
  draft.set("kv_group_size", group_size);
  draft.set("has_layer_scale", static_cast<bool>(layer_scale));
  draft.set("has_sinks", static_cast<bool>(op.in[Operand::sinks]));
  draft.set("of_source", attention.of_source);
  if (!attention.causal && !attention.of_source) draft.set("has_state", false);

  draft.activation("queries", op.in[Operand::queries], Access::read);
  if (widths.second_keys > 0) draft.activation("second_queries", op.in[Operand::second_queries], Access::read);
  std::int64_t entry_bytes = bind_keys("keys", op.in[Operand::keys], widths.keys, draft);
  entry_bytes += bind_keys("values", op.in[Operand::values], widths.values, draft);
  if (widths.second_keys > 0) {
    entry_bytes += bind_keys("second_keys", op.in[Operand::second_keys], widths.second_keys, draft);
  }
  if (op.in[Operand::sinks]) draft.weight("sinks", op.in[Operand::sinks]);
  if (relative) draft.weight("relative", relative);
  if (layer_scale) draft.weight("layer_scale", layer_scale);
  draft.activation("attended", op.out, Access::write);

  kernel.cost.bytes_per_key = entry_bytes;
  kernel.cost.flops_per_key = (of_keys ? 3 : 2) * widths.keys + 2 * widths.second_keys + 2 * widths.values;
  kernel.cost.most_keys = attention.recent == 0 ? 0 : attention.recent + attention.first;
  if (has_holes(attention)) {
    const Expression visible = visibility(attention);
    kernel.sees = attention.causal ? causal(visible) : visible;
  }
  draft.call.rows = {heads.factors[0]};
  draft.call.count = Count::queries;
  draft.call.per_row = group;
}

ReferenceCall reference(const Op& op, const Graph& graph) {
  const Axis& row = graph.axes[graph.values[op.in[Operand::queries]].axes[1]];
  const Attention& attention = *as<Attention>(op);
  const bool plain = attention.causal && attention.score.empty() && visibility(attention).empty() &&
                     !op.in[Operand::sinks] && !op.in[Operand::relative];
  const auto head_of = [&](std::size_t operand) { return key_axes(graph.values[op.in[operand]], graph)->head; };
  std::vector<std::variant<AxisId, std::int64_t>> sizes = {
      row.factors[0], key_axes(graph.values[op.in[Operand::keys]], graph)->heads, row.factors[1]};
  std::optional<AxisId> second_head;
  if (op.in[Operand::second_keys]) {
    second_head = head_of(Operand::second_keys);
    sizes[2] = graph.axes[row.factors[1]].size + graph.axes[*second_head].size;
  }
  if (op.in[Operand::second_keys] || head_of(Operand::values) != row.factors[1])
    sizes.emplace_back(head_of(Operand::values));
  const bool of_keys =
      op.in[Operand::relative] && is_of_keys(graph.values[op.in[Operand::relative]], graph, row.factors[1]);
  return {.function = attention.of_source ? "source_attention"
                      : !attention.causal ? "pass_attention"
                      : plain             ? "attention"
                                          : "scored_attention",
          .sizes = sizes,
          .attention = plain ? nullptr : &attention,
          .relative = op.in[Operand::relative],
          .relative_head = of_keys ? std::optional(row.factors[1]) : std::nullopt,
          .operands =
              std::vector(op.in.begin(), op.in.begin() + (op.in[Operand::sinks] ? Operand::sinks + 1 : Operand::sinks)),
          .second_term = second_head ? std::vector{op.in[Operand::second_queries], op.in[Operand::second_keys]}
                                     : std::vector<ValueId>{},
          .term_heads = second_head ? std::vector{row.factors[1], *second_head} : std::vector<AxisId>{},
          .numbers = {attention.scale},
          .factor = op.in[Operand::layer_scale],
          .positions = true};
}

}  // namespace

const OpType attention_type = {"attention", Access::read, verify, reads_quads, accepts, plan, reference};

}  // namespace monomorph::generator
