// The reference: each operation of the graph is one line that calls a loop of runtime/reference/. It reads weights as
// the checkpoint has them, and shares neither fusion, nor stacking, nor buffers with the kernels.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "generator/emit/cpp_writer.hpp"
#include "generator/graph/distances.hpp"
#include "generator/graph/visibility.hpp"
#include "generator/ops/op_type.hpp"
#include "generator/ops/reference_call.hpp"

namespace monomorph::generator {
namespace {

/// Before each function and type of runtime/reference/: a size or a value of the model may be called as one of them is.
constexpr const char* reference_space = "monomorph::reference::";

std::string identifier(const std::string& role) {
  const RolePath path = split_role(role);
  return path.space.empty() ? path.word : path.space + "_" + path.word;
}

/// Local names of a function's values.
class Locals {
 public:
  Locals(const Graph& graph, const Contract& contract, const AxisTable& axes, FunctionId id)
      : graph_(graph), contract_(contract), axes_(axes) {
    const Function& function = graph.functions[id];
    for (const Axis& axis : axes) taken_.insert(axis.name);  // locals must not hide what template arguments are made of
    for (const ValueId parameter : function.parameters) add(parameter);
    // A field of the record has its name, whatever a layer computes it as.
    const auto is_finish = [&](const Stack& stack) { return stack.finish == id; };
    const bool of_layer = graph.is_layer(id) || std::ranges::any_of(graph.stacks, is_finish);
    for (const ValueId result : function.results) {
      const Value& value = graph.values[result];
      if (of_layer && value.storage == Storage::activation) taken_.insert(identifier(value.role));
    }
    for (const OpId op : function.ops) {
      for (const ValueId result : graph.ops[op].results()) add(result);
    }
  }

  std::string of(ValueId id) const {
    if (!id) return reference_space + std::string("absent");
    const Value& value = graph_.values[id];
    switch (value.storage) {
      case Storage::weight: {
        const WeightContract& weight = contract_.weights[{value.declared}];
        const RolePath path = split_role(weight.role);
        const std::string member = path.space.empty() ? path.word : path.space + "." + path.word;
        return (weight.scope.kind == Scope::model ? "parameters." : "layer.") + member;
      }
      case Storage::angles:
        return value.role;
      case Storage::host:
        return name_of(value.list);
      default:
        return names_.at(id);
    }
  }

  /// Of angles.
  bool depends_on_length(ValueId id) const {
    return contract_.angles[{graph_.values[id].declared}].rotary.depends_on_length();
  }

  /// The same, with a weight read into numbers.
  std::string in_numbers(ValueId id) const {
    if (!id) return of(id);
    const Value& value = graph_.values[id];
    if (value.storage != Storage::weight) return of(id);
    return fmt::format("{}weight_row<{}::size>(weights_, {})", reference_space, axes_[value.axes[0]].name, of(id));
  }

 private:
  /// Versions of a state are one list of entries.
  void add(ValueId id) {
    const Value& value = graph_.values[id];
    std::string name = identifier(value.role);
    if (value.storage == Storage::state) {
      names_[id] = name + "_state";
      return;
    }
    const std::string plain = name;
    for (int number = 2; !taken_.insert(name).second; ++number) name = fmt::format("{}_{}", plain, number);
    names_[id] = name;
  }

  const Graph& graph_;
  const Contract& contract_;
  const AxisTable& axes_;
  std::map<ValueId, std::string> names_;
  std::set<std::string> taken_;
};

/// One of a call's numbers, times its factor.
std::string number_in(const ReferenceCall& call, double number, const Locals& locals) {
  const std::string literal = float_literal(number);
  return call.factor ? fmt::format("{} * {}.front()", literal, locals.in_numbers(call.factor)) : literal;
}

/// `row`: which one of `relative` a distance has.
std::string declared_row(const Distances& distances) {
  return fmt::format(
      "const std::int64_t distance = std::clamp<std::int64_t>(key - query, -{}, {}); const std::int64_t row = {}; ",
      distances.back, distances.ahead, to_cpp(row_of_distance(distances)));
}

/// Its score, and which keys a query sees; what an expression does not name has no name.
std::vector<std::string> lambdas_of(const ReferenceCall& call, const Locals& locals, const AxisTable& axes) {
  const Attention& attention = *call.attention;
  std::set<std::string> in_score = attention.score.empty() ? std::set<std::string>{"score"} : names_in(attention.score);
  const Expression visible = visibility(attention);
  const std::set<std::string> in_mask = visible.empty() ? std::set<std::string>{} : names_in(visible);
  const auto parameter = [](const char* type, const std::string& name, bool used) {
    return used ? fmt::format("{} {}", type, name) : std::string(type);
  };
  const char* whole = "std::int64_t";
  std::string before, captured;
  if (call.relative) {
    captured = "relative = " + locals.in_numbers(call.relative);
    in_score.merge(std::set<std::string>{"query", "key"});
    before += declared_row(attention.distances);
    if (call.relative_head) {
      in_score.insert("of_query");
      if (call.factor) captured += ", scale = " + number_in(call, attention.scale, locals);
      before += fmt::format("score += {0} * {1}dot<{2}::size>(of_query, relative.data() + row * {2}::size); ",
                            call.factor ? "scale" : float_literal(attention.scale), reference_space,
                            axes[*call.relative_head].name);
    } else {
      in_score.insert("head");
      before += fmt::format("const double bias = relative[static_cast<std::size_t>(row * {}::size + head)]; ",
                            axes[std::get<AxisId>(call.sizes[0])].name);
    }
  }
  if (in_score.contains("slope")) {
    in_score.insert("head");
    std::string slopes;
    for (const float each : attention.slopes) slopes += (slopes.empty() ? "" : ", ") + float_literal(each);
    before += fmt::format("static constexpr double slopes[] = {{{}}}; const double slope = slopes[head]; ", slopes);
  }
  const auto in = [&](const char* type, const char* name) { return parameter(type, name, in_score.contains(name)); };
  return {fmt::format("[{}]({}, {}, {}, {}, {}) {{ {}return {}; }}", captured, in("double", "score"),
                      in(whole, "query"), in(whole, "key"), in(whole, "head"), in("const double*", "of_query"), before,
                      attention.score.empty() ? "score" : to_cpp(attention.score)),
          fmt::format("[]({}, {}) {{ return {}; }}", parameter(whole, "query", in_mask.contains("query")),
                      parameter(whole, "key", in_mask.contains("key")), visible.empty() ? "true" : to_cpp(visible))};
}

std::string spelled(const ReferenceCall& call, const Locals& locals, const AxisTable& axes) {
  std::string sizes, arguments;
  for (const auto& size : call.sizes) {
    const auto* axis = std::get_if<AxisId>(&size);
    sizes += (sizes.empty() ? "" : ", ") +
             (axis != nullptr ? axes[*axis].name + "::size" : std::to_string(std::get<std::int64_t>(size)));
  }
  const auto add = [&](const std::string& argument) { arguments += (arguments.empty() ? "" : ", ") + argument; };
  if (call.weights) add("weights_");
  if (call.expression != nullptr) {
    const std::set<std::string> used = names_in(*call.expression);
    std::string parameters;
    for (const std::string& name : call.names) {
      parameters += (parameters.empty() ? "double" : ", double") + (used.contains(name) ? " " + name : "");
    }
    add(fmt::format("[]({}) {{ return {}; }}", parameters, to_cpp(*call.expression)));
  }
  if (call.attention != nullptr) {
    for (const std::string& lambda : lambdas_of(call, locals, axes)) add(lambda);
  }
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const std::string operand = call.weights ? locals.of(call.operands[i]) : locals.in_numbers(call.operands[i]);
    if (i >= call.second_term.size()) {
      add(operand);
      continue;
    }
    add(fmt::format("{}joined<{}::size, {}::size, {}::size>({}, {})", reference_space,
                    axes[std::get<AxisId>(call.sizes[i])].name, axes[call.term_heads[0]].name,
                    axes[call.term_heads[1]].name, operand, locals.of(call.second_term[i])));
  }
  for (const double number : call.numbers) add(number_in(call, number, locals));
  if (call.positions) add("first_position");
  if (call.length && locals.depends_on_length(call.operands.front())) add("length_");
  return fmt::format("{}{}{}({});", reference_space, call.function, sizes.empty() ? "" : "<" + sizes + ">", arguments);
}

}  // namespace

std::vector<Holes> reference_lines(const Graph& graph, const Contract& contract, const AxisTable& axes, FunctionId id) {
  const Function& function = graph.functions[id];
  const Locals locals(graph, contract, axes, id);
  std::vector<Holes> lines;
  for (const OpId op_id : function.ops) {
    const Op& op = graph.ops[op_id];
    const std::string call = spelled(type_of(op).reference(op, graph), locals, axes);
    const bool state = graph.values[op.out].storage == Storage::state;
    const std::string constant = graph.is_result(op.out) ? "auto " : "const auto ";
    lines.push_back({{"text", state ? call : constant + locals.of(op.out) + " = " + call}});
  }
  const bool begins = std::ranges::find(graph.stacks, id, &Stack::embed) != graph.stacks.end();
  // Carried results take the names under which the next function knows them.
  for (const ValueId result : function.results) {
    const Value& value = graph.values[result];
    if (value.storage != Storage::activation || id == graph.head) continue;
    const std::string carried = identifier(value.role), own = locals.of(result);
    if (own == carried) continue;
    lines.push_back({{"text", fmt::format("{}{} = std::move({});", begins ? "auto " : "", carried, own)}});
  }
  return lines;
}

std::vector<Holes> CppWriter::parameter_spaces(Scope scope) const {
  std::vector<std::pair<RolePath, Holes>> records;
  std::int64_t index = 0;
  for (const WeightId id : contract_.weights_of(scope)) {
    const RolePath path = split_role(contract_.weights[id].role);
    records.push_back({path, {{"name", path.word}, {"index", index++}}});
  }
  std::vector<Holes> spaces;
  for (const auto& [space, members] : by_space(records)) {
    if (!members.empty()) spaces.push_back({{"space", space}, {"type", camel_case(space)}, {"weights", members}});
  }
  return spaces;
}

/// What a layer of a kind remembers, in order.
std::vector<Holes> CppWriter::reference_states(std::size_t kind) const {
  std::vector<Holes> states;
  for (const StateContract& state : contract_.states) {
    if (state.scope.kind != kind) continue;
    states.push_back({{"name", identifier(state.role) + "_state"},
                      {"index", static_cast<std::int64_t>(states.size())},
                      {"recurrent", state.recurrent()}});
  }
  return states;
}

/// What a kind of layer keeps of a source.
Holes CppWriter::reference_source(std::size_t kind) const {
  Holes record = kind_names(kind);
  std::vector<Holes> kept, all = reference_states(kind);
  std::size_t index = 0;
  for (const StateContract& state : contract_.states) {
    if (state.scope.kind != kind) continue;
    if (state.source()) kept.push_back(all[index]);
    ++index;
  }
  record.insert({{"state_count", static_cast<std::int64_t>(all.size())},
                 {"states", kept},
                 {"lines", reference_lines(graph_, contract_, plan_.axes, graph_.sources[kind])}});
  return record;
}

Holes CppWriter::reference_kind(std::size_t kind) const {
  Holes record = kind_names(kind);
  // Fields of the record that it takes or gives, beside the hidden states.
  const Function& function = graph_.functions[graph_.layers[kind]];
  std::string parameters, arguments;
  for (const BufferId id : plan_.carried) {
    if (!is_field_of(id, contract_.kinds[kind].kind.stack)) continue;
    const Buffer& field = plan_.buffers[id];
    const auto is_field = [&](ValueId id) { return graph_.values[id].role == field.word; };
    if (std::none_of(function.parameters.begin(), function.parameters.end(), is_field) &&
        std::none_of(function.results.begin(), function.results.end(), is_field)) {
      continue;
    }
    arguments += ", " + identifier(field.word);
    parameters += fmt::format(", {}Activations<{}::size>& {}", reference_space, plan_.axes[field.axes[1]].name,
                              identifier(field.word));
  }
  const std::vector<Holes> states = reference_states(kind);
  const std::vector<std::size_t> owners = read_from(kind);
  std::vector<Holes> shared;
  for (const std::size_t owner : owners) {
    const std::string word = contract_.kinds[owner].kind.identifier + "_states";
    parameters += fmt::format(", const States& {}", word);
    arguments += fmt::format(", states[static_cast<std::size_t>(latest[{}])]", owner);
    std::int64_t index = 0;
    for (const StateContract& state : contract_.states) {
      if (state.scope.kind != owner) continue;
      const auto reads = [&](ValueId id) {
        const Value& value = graph_.values[id];
        return value.storage == Storage::state && value.role == state.role &&
               contract_.states[{value.declared}].scope.kind == owner;
      };
      if (std::any_of(function.parameters.begin(), function.parameters.end(), reads)) {
        shared.push_back({{"name", identifier(state.role) + "_state"}, {"owner", word}, {"index", index}});
      }
      ++index;
    }
  }
  record.insert({{"shared", shared},
                 {"more_parameters", parameters},
                 {"more_arguments", arguments},
                 {"first_weight", first_weight(kind)},
                 {"weight_count", static_cast<std::int64_t>(contract_.weights_of({kind}).size())},
                 {"parameter_spaces", parameter_spaces({kind})},
                 {"state_count", static_cast<std::int64_t>(states.size())},
                 {"states", states},
                 {"hidden_states", hidden_states_of(contract_.kinds[kind].kind.stack)},
                 {"hidden_axis", hidden_axis_of(contract_.kinds[kind].kind.stack)},
                 {"lines", reference_lines(graph_, contract_, plan_.axes, graph_.layers[kind])}});
  return record;
}

std::string CppWriter::reference() const {
  std::vector<Holes> kinds, of_stack[2], sources, angles;
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    kinds.push_back(reference_kind(kind));
    of_stack[contract_.kinds[kind].kind.stack].push_back(kinds.back());
    if (kind < graph_.sources.size() && graph_.sources[kind]) sources.push_back(reference_source(kind));
  }
  bool by_length = false;
  for (const AnglesId id : contract_.angles.ids()) {
    angles.push_back(rotary_angles(id));
    by_length |= contract_.angles[id].rotary.depends_on_length();
  }
  std::vector<Holes> fields;
  for (const BufferId id : plan_.carried) {
    if (!is_field_of(id, own_stack)) continue;
    const Buffer& field = plan_.buffers[id];
    const std::vector<ValueId>& given = graph_.functions[graph_.own().embed].results;  // are there before any layer
    if (std::ranges::any_of(given, [&](ValueId value) { return graph_.values[value].role == field.word; })) continue;
    fields.push_back({{"name", identifier(field.word)}, {"axis", plan_.axes[field.axes[1]].name}});
  }
  bool reads_earlier_states = false;
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) reads_earlier_states |= !read_from(kind).empty();
  const auto lines_of = [&](FunctionId function) {
    return function ? reference_lines(graph_, contract_, plan_.axes, function) : std::vector<Holes>{};
  };
  const auto layers_of = [&](std::size_t stack) {
    Holes layers = loop(stack);
    layers.insert({"kinds", of_stack[stack]});
    return std::vector<Holes>{layers};
  };
  Holes holes = common();
  holes.insert({{"max_batch", contract_.max_batch},
                {"runs", loop(own_stack).at("runs")},
                {"hidden_states", hidden_states_of(own_stack)},
                {"hidden_axis", hidden_axis_of(own_stack)},
                {"fields", fields},
                {"parameter_spaces", parameter_spaces({})},
                {"rotary_angles", angles},
                {"by_length", by_length},
                {"kinds", kinds},
                {"layers", layers_of(own_stack)},
                {"reads_earlier_states", reads_earlier_states},
                {"finish", lines_of(graph_.own().finish)},
                {"has_types", contract_.token_types > 0},
                {"output", identifier(plan_.buffers[plan_.output].word)},
                {"embed", lines_of(graph_.own().embed)},
                {"head", lines_of(graph_.head)},
                {"encoder", contract_.encoder() != nullptr}});
  if (contract_.encoder() != nullptr) {
    const Stack& encoder = graph_.stacks[encoder_stack];
    Holes keep = loop(own_stack);
    keep.insert({"kinds", sources});
    holes.insert({{"encoder_hidden_states", hidden_states_of(encoder_stack)},
                  {"encoder_hidden_axis", hidden_axis_of(encoder_stack)},
                  {"encoder_embed", lines_of(encoder.embed)},
                  {"encoder_layers", layers_of(encoder_stack)},
                  {"encoder_finish", lines_of(encoder.finish)},
                  {"sources", std::vector<Holes>{keep}},
                  {"source_kinds", sources}});
  }
  return render("cpp/reference.hpp", holes);
}

}  // namespace monomorph::generator
