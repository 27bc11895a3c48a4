#include "generator/graph/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace monomorph::generator {

Expression known_expression(const std::string& text, const std::vector<std::string>& names) {
  Diagnostics diagnostics;
  const std::optional<Expression> expression = parse_expression(text, {}, variables(names), Type::real, diagnostics);
  if (!expression) throw InternalError("graph: the expression " + text + " cannot be read");
  return *expression;
}

Builder::Builder(const Contract& contract, Graph& graph, const std::string& name, Scope scope, std::size_t rows_of)
    : contract_(contract), graph_(graph), scope_(scope), rows_of_(rows_of) {
  function_ = graph.functions.add({name, {}, {}, {}});
}

std::string Builder::role(const std::string& word) const {
  const bool is_between = instance_.empty() || scope_.kind == Scope::model;
  return (is_between ? name_prefix(rows_of_) : "") + own_role(word);
}

ValueId Builder::parameter(ValueId like) {
  Value value = graph_.values[like];
  value.function = function_;
  value.writer = {};
  const ValueId id = graph_.values.add(value);
  graph_.functions[function_].parameters.push_back(id);
  return id;
}

ValueId Builder::taken(const std::string& word, ValueId like) {
  const ValueId id = parameter(like);
  graph_.values[id].role = role(word);
  return id;
}

ValueId Builder::taken_once(const std::string& word, ValueId like) {
  for (const ValueId id : graph_.functions[function_].parameters) {
    if (graph_.values[id].role == role(word)) return id;
  }
  return taken(word, like);
}

void Builder::result(ValueId value) { graph_.functions[function_].results.push_back(value); }

ValueId Builder::add(const std::string& word, Attributes what, std::vector<ValueId> in, const std::string& name,
                     std::vector<AxisId> axes) {
  Value value;
  value.role = name;
  value.axes = std::move(axes);
  value.function = function_;
  const ValueId out = graph_.values.add(value);
  const OpId op = graph_.ops.add({word, std::move(what), std::move(in), out, function_});
  graph_.values[out].writer = op;
  graph_.functions[function_].ops.push_back(op);
  return out;
}

ValueId Builder::declared(Storage storage, std::uint32_t index) {
  const AxisId rows = tokens();
  for (const ValueId id : graph_.values.ids()) {
    const Value& value = graph_.values[id];
    const bool is_it = value.storage == storage && value.declared == index && storage != Storage::state;
    if (is_it && (storage != Storage::angles || value.axes[0] == rows)) return id;
  }
  Value value;
  value.storage = storage;
  value.declared = index;
  if (storage == Storage::weight) {
    const WeightContract& weight = contract_.weights[{index}];
    value.role = weight.role;
    value.element = weight.dtype;
    value.axes = weight.axes;
  } else {
    const AnglesContract& angles = contract_.angles[{index}];
    value.role = angles.role;
    value.axes = {rows, angles.axis};
  }
  return graph_.values.add(value);
}

ValueId Builder::weight(const std::string& name) {
  if (scope_.kind == Scope::model) return weight_of_model(name_prefix(rows_of_) + name);
  const WeightId found = contract_.find_weight(scope_, name);
  return found ? declared(Storage::weight, found.index) : weight_of_model(name);
}

ValueId Builder::weight_of_model(const std::string& name) {
  const WeightId found = contract_.find_weight({}, name);
  return found ? declared(Storage::weight, found.index) : ValueId{};
}

AxisId Builder::tokens() {
  const bool of_source = rows_of_ == encoder_stack;
  return graph_.axes.intern({of_source ? "source_tokens" : "tokens",
                             of_source ? contract_.max_source_length : contract_.prefill_chunk,
                             {},
                             Live::tokens,
                             {},
                             {}});
}

ValueId Builder::host(HostList list) {
  const bool rows = list == HostList::head_rows;
  const AxisId axis = rows ? graph_.axes.intern({"rows", contract_.head_rows, {}, Live::rows, {}, {}}) : tokens();
  for (const ValueId id : graph_.values.ids()) {
    const Value& value = graph_.values[id];
    if (value.storage == Storage::host && value.list == list && value.axes[0] == axis) return id;
  }
  Value value;
  value.role = name_of(list);
  value.storage = Storage::host;
  value.list = list;
  value.axes = {axis};
  return graph_.values.add(value);
}

ValueId Builder::gather(const std::string& word, ValueId table, ValueId indices, const std::string& name,
                        std::int64_t offset) {
  return add(word, Gather{offset}, {table, indices}, role(name), {axes_of(indices)[0], axes_of(table)[1]});
}

ValueId Builder::pool(const std::string& word, ValueId in, ValueId rows, const std::string& name) {
  return add(word, Pool{}, {in, rows}, role(name), {axes_of(rows)[0], axes_of(in)[1]});
}

ValueId Builder::norm(const std::string& word, const NormContract& norm, const std::string& weight_role, ValueId in,
                      const std::string& name, AxisId over) {
  const ValueId bias = norm.bias ? weight(own_role(weight_role + "_bias")) : ValueId{};
  const ValueId gain = norm.weight ? weight(own_role(weight_role)) : ValueId{};
  return add(word, Norm{norm.type, norm.eps, over ? over : axes_of(in)[1], norm.weight_offset}, {in, gain, bias},
             role(name), axes_of(in));
}

ValueId Builder::linear(const std::string& word, const std::string& weight_role, const std::string& bias_role,
                        ValueId in, const std::string& name) {
  const ValueId matrix = weight(weight_role);
  if (!matrix) throw InternalError("graph: the contract has no weight " + weight_role);
  const ValueId bias = bias_role.empty() ? ValueId{} : weight(bias_role);
  return add(word, Linear{}, {in, matrix, bias, {}}, role(name), {axes_of(in)[0], axes_of(matrix)[0]});
}

ValueId Builder::linear_of_banks(const std::string& word, const std::string& weight_role, const std::string& bias_role,
                                 const BankOperands& operands, AxisId to, const std::string& name) {
  const ValueId matrix = weight(weight_role);
  if (!matrix) throw InternalError("graph: the contract has no weight " + weight_role);
  const ValueId bias = bias_role.empty() ? ValueId{} : weight(bias_role);
  return add(word, Linear{operands.segments}, {operands.in, matrix, bias, operands.choice}, role(name),
             {axes_of(operands.in)[0], to});
}

ValueId Builder::chosen_projection(const std::string& word, const BankOperands& operands, const std::string& name) {
  const ValueId matrix = weight(own_role(word + "_proj"));
  if (!matrix) throw InternalError("graph: the contract has no weight " + own_role(word + "_proj"));
  const AxisId choices = axes_of(operands.choice)[1], rows = graph_.axes[axes_of(matrix)[0]].factors[1];
  const auto product = std::ranges::find(graph_.axes, std::vector{choices, rows}, &Axis::factors);
  if (product == graph_.axes.end())
    throw InternalError("graph: the contract has no rows of each choice of " + role(word));
  const auto to = AxisId{static_cast<std::uint32_t>(product - graph_.axes.begin())};
  return linear_of_banks(word + "_proj", own_role(word + "_proj"), own_role(word + "_bias"), operands, to, name);
}

ValueId Builder::projection_by_bank(const std::string& word, ValueId in, const std::string& name) {
  const ValueId matrix = weight(own_role(word + "_proj"));
  if (!matrix) throw InternalError("graph: the contract has no weight " + own_role(word + "_proj"));
  return linear_of_banks(word + "_proj", own_role(word + "_proj"), own_role(word + "_bias"), {in, {}, true},
                         axes_of(matrix)[0], name);
}

ValueId Builder::top_k(const std::string& word, const TopK& how, ValueId scores, const std::string& bias,
                       AxisId choices, const std::string& name) {
  const ValueId added = bias.empty() ? ValueId{} : vector(bias);
  return add(word, how, {scores, added}, role(name), {axes_of(scores)[0], choices});
}

ValueId Builder::pick(const std::string& word, const Pick& how, ValueId in, ValueId choice, const std::string& name) {
  return add(word, how, {in, choice}, role(name), axes_of(choice));
}

ValueId Builder::shares(const std::string& word, const Shares& how, ValueId in, const std::string& name) {
  return add(word, how, {in}, role(name), axes_of(in));
}

ValueId Builder::combine(const std::string& word, ValueId in, ValueId weights, const std::string& name) {
  return add(word, Combine{}, {in, weights}, role(name), {axes_of(in)[0], graph_.axes[axes_of(in)[1]].factors[1]});
}

ValueId Builder::concat(const std::string& word, ValueId first, ValueId second, const std::string& name) {
  const std::int64_t size = graph_.axes[axes_of(first)[1]].size + graph_.axes[axes_of(second)[1]].size;
  const auto has_size = [&](const Axis& axis) { return axis.word == concatenated_axis && axis.size == size; };
  const auto both = std::ranges::find_if(graph_.axes, has_size);
  if (both == graph_.axes.end()) throw InternalError("graph: the contract has no axis of " + role(name));
  const auto axis = AxisId{static_cast<std::uint32_t>(both - graph_.axes.begin())};
  return add(word, Concat{}, {first, second}, role(name), {axes_of(first)[0], axis});
}

ValueId Builder::map(const std::string& word, const Expression& expression, const std::vector<std::string>& names,
                     const std::vector<ValueId>& in, const std::string& name) {
  return add(word, Map{expression, names}, in, role(name), axes_of(in[0]));
}

ValueId Builder::rotary(const Rotary& how, AnglesId angles, ValueId in, const std::string& name) {
  return add("", how, {in, declared(Storage::angles, angles.index)}, role(name), axes_of(in));
}

ValueId Builder::sinusoids(const std::string& word, RotaryLayout layout, AnglesId angles, AxisId columns,
                           const std::string& name) {
  const ValueId positions = host(HostList::positions);
  return add(word, Sinusoids{layout}, {declared(Storage::angles, angles.index), positions}, role(name),
             {axes_of(positions)[0], columns});
}

ValueId Builder::state_parameter(StateId id) {
  const StateContract& contract = contract_.states[id];
  Value value;
  value.role = contract.role;
  value.storage = Storage::state;
  value.element = contract.element;
  value.axes = contract.axes;
  value.declared = id.index;
  value.function = function_;
  const ValueId parameter = graph_.values.add(value);
  graph_.functions[function_].parameters.push_back(parameter);
  return parameter;
}

ValueId Builder::state_of(const std::string& kind, const std::string& state) {
  const std::vector<std::size_t>& layers = contract_.stack_of(scope_.kind).layer_kinds;
  const auto reader = std::find(layers.rbegin(), layers.rend(), scope_.kind);
  const auto owner =
      std::find_if(reader, layers.rend(), [&](std::size_t each) { return contract_.kinds[each].kind.name == kind; });
  const StateId found = owner != layers.rend() ? contract_.find_state({*owner}, own_role(state)) : StateId{};
  if (found) return state_parameter(found);
  throw InternalError("graph: no layer of the kind " + kind + " before has a state " + own_role(state));
}

ValueId Builder::source_state(const std::string& state) {
  const StateId found = contract_.find_state(scope_, own_role(state));
  if (!found) throw InternalError("graph: the contract has no state " + own_role(state));
  return state_parameter(found);
}

ValueId Builder::newest(const std::string& state) {
  const StateId found = contract_.find_state(scope_, own_role(state));
  if (!found) throw InternalError("graph: the contract has no state " + own_role(state));
  const auto newest = std::find_if(states_.begin(), states_.end(),
                                   [&](ValueId id) { return graph_.values[id].declared == found.index; });
  return newest != states_.end() ? *newest : state_parameter(found);
}

void Builder::replace(ValueId before, ValueId after) {
  Value& next = graph_.values[after];
  next = graph_.values[before];
  next.writer = graph_.ops.ids().back();
  const auto newest = std::find(states_.begin(), states_.end(), before);
  if (newest != states_.end()) {
    *newest = after;
  } else {
    states_.push_back(after);
  }
}

ValueId Builder::append(const std::string& state, ValueId in) {
  const ValueId before = newest(state);
  const ValueId after = add("", Append{}, {before, in}, "", {});
  replace(before, after);
  return after;
}

ValueId Builder::recurrence(const std::string& word, const Recurrence& how, const std::string& state,
                            const RecurrenceOperands& operands, const std::string& name) {
  const auto& [queries, keys, values, removed, rates, bonus, decays] = operands;
  const ValueId before = newest(state);
  std::vector<ValueId> in = {before, queries, keys, values, removed, rates, bonus};
  in.insert(in.end(), decays.begin(), decays.end());
  return with_next(add(word, how, in, role(name), axes_of(values)), before);
}

ValueId Builder::weighted_mean(const std::string& word, const WeightedMean& how, const std::string& state,
                               const WeightedMeanOperands& operands, const std::string& name) {
  const auto& [log_weights, values, decays, bonus] = operands;
  const ValueId before = newest(state);
  return with_next(add(word, how, {before, log_weights, values, decays, bonus}, role(name), axes_of(values)), before);
}

ValueId Builder::with_next(ValueId out, ValueId before) {
  const ValueId after = graph_.values.add({});
  graph_.ops[graph_.values[out].writer].next = after;
  replace(before, after);
  return out;
}

ValueId Builder::attention(const Attention& how, const AttentionOperands& operands, const std::string& name) {
  const auto& [queries, keys, values, sinks, relative, layer_scale, second_queries, second_keys, attended] = operands;
  std::vector<AxisId> axes = axes_of(queries);
  if (attended) axes[1] = attended;
  return add("attention", how, {queries, keys, values, sinks, relative, layer_scale, second_queries, second_keys},
             role(name), axes);
}

ValueId Builder::convolve(const std::string& word, ValueId state, ValueId in, const std::string& name) {
  return add(word, Convolve{}, {state, vector(word), weight(own_role(word + "_bias"))}, role(name), axes_of(in));
}

ValueId Builder::token_before(const std::string& word, ValueId state, ValueId in, const std::string& name) {
  return add(word, Convolve{}, {state, {}, {}}, role(name), axes_of(in));
}

ValueId Builder::differential(ValueId first, ValueId second, const std::vector<std::string>& vectors,
                              const std::string& name) {
  std::vector<ValueId> in = {first, second};
  for (const std::string& word : vectors) in.push_back(vector(word));
  return add("differential", Differential{}, in, role(name), axes_of(first));
}

ValueId Builder::projection(const std::string& word, ValueId in, const std::string& name) {
  return linear(word + "_proj", own_role(word + "_proj"), own_role(word + "_bias"), in, name);
}

ValueId Builder::matrix(const std::string& word, ValueId in, const std::string& name) {
  return linear(word, own_role(word), own_role(word + "_bias"), in, name);
}

ValueId Builder::vector(const std::string& word) {
  const ValueId found = weight(own_role(word));
  if (!found || axes_of(found).size() != 1) throw InternalError("graph: the contract has no vector " + own_role(word));
  return found;
}

ValueId Builder::sum(const std::vector<ValueId>& terms, const std::string& name, double scale) {
  std::vector<std::string> names = {"residual", "x", "y", "z"};
  const std::string factor = scale == 1 ? "" : fmt::format("{} * ", scale);
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i >= names.size()) names.push_back("x" + std::to_string(i));
    text += i == 0 ? names[i] : " + " + factor + names[i];
  }
  names.resize(terms.size());
  return map("add", known_expression(text, names), names, terms, name);
}

ValueId Builder::scaled(ValueId in, double scale, const std::string& name) {
  return map("", known_expression(fmt::format("{} * x", scale), {"x"}), {"x"}, {in}, name);
}

AxisId Builder::axis(const std::string& word, std::int64_t size, const std::vector<AxisId>& factors) {
  return graph_.axes.intern({word, size, factors, Live::all, {}, {}});
}

FunctionId Builder::finish() {
  for (const ValueId state : states_) result(state);
  return function_;
}

}  // namespace monomorph::generator
