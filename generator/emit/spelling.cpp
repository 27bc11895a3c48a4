#include "generator/emit/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "generator/contract/names.hpp"
#include "generator/plan/words.hpp"

namespace monomorph::generator {

RolePath split_role(const std::string& role) {
  const std::size_t colons = role.find("::");
  if (colons == std::string::npos) return {"", role};
  return {role.substr(0, colons), role.substr(colons + 2)};
}

std::string camel_case(const std::string& identifier) {
  std::string text;
  bool upper = true;
  for (const char c : identifier) {
    if (c != '_') text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return text;
}

Spelling::Spelling(const Contract& contract, const Graph& graph, const Plan& plan)
    : contract_(contract), graph_(graph), plan_(plan) {
  std::vector<NamedUse> uses;
  for (const PhasePlan& phase : plan.phases) {
    for (const Section& section : phase.sections) {
      for (const Call& call : section.calls) {
        const CppFunction described = describe(call, phase);
        const auto same = [&](const CppFunction& other) {
          return other.name == described.name && other.kernel == described.kernel && other.types == described.types &&
                 other.rows == described.rows && other.per_row == described.per_row && other.banks == described.banks;
        };
        const auto found = std::find_if(functions_.begin(), functions_.end(), same);
        const auto index = static_cast<std::size_t>(found - functions_.begin());
        if (found == functions_.end()) {
          functions_.push_back(described);
          uses.push_back({described.name, {}});
        }
        of_calls_[&call] = index;
        if (section.kind == Scope::model) continue;
        const std::string& user = graph.functions[section.function].name;
        std::vector<std::string>& users = uses[index].users;
        if (std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
      }
    }
  }
  const std::vector<std::string> names = qualified_names(uses);
  for (std::size_t i = 0; i < names.size(); ++i) functions_[i].name = names[i];
}

std::string Spelling::axes(const std::vector<AxisId>& axes) const {
  std::string text;
  for (const AxisId axis : axes) text += ", " + plan_.axes[axis].name;
  return text;
}

std::string Spelling::extent(const Extent& extent) const {
  std::string text;
  for (const AxisId axis : extent) text += (text.empty() ? "" : " + ") + plan_.axes[axis].name + "::size";
  return text.empty() ? "1" : text;
}

std::string Spelling::type(BufferId id) const {
  const Buffer& buffer = plan_.buffers[id];
  return fmt::format("Tensor<roles::{}, {}{}>", buffer.role, name_of(buffer.element), axes(buffer.axes));
}

std::string Spelling::type(StoredId id) const {
  const Stored& stored = plan_.stored[id];
  return fmt::format("Weight<roles::{}, {}{}>", stored.role, name_of(stored.format), axes(stored.axes));
}

std::string Spelling::type(StateId id) const {
  const StateContract& state = contract_.states[id];
  return fmt::format("State<roles::{}, {}{}>", state.role, name_of(state.element), axes(state.axes));
}

std::string Spelling::type(const Argument& argument) const {
  return std::visit([&](auto id) { return type(id); }, argument);
}

namespace {

/// "attention::keys" -> "attention.keys".
std::string member(const std::string& role) {
  const RolePath path = split_role(role);
  return path.space.empty() ? path.word : path.space + "." + path.word;
}

}  // namespace

std::string Spelling::argument(const Argument& argument, Scope layer) const {
  if (const auto* buffer = std::get_if<BufferId>(&argument)) {
    return (layer.kind != Scope::model ? "" : "buffers::") + plan_.buffers[*buffer].name;
  }
  if (const auto* id = std::get_if<StateId>(&argument)) {
    const StateContract& state = contract_.states[*id];
    const std::string owner = state.scope == layer ? "" : contract_.kinds[state.scope.kind].kind.identifier + "_";
    return owner + "states." + member(state.role);
  }
  const Stored& stored = plan_.stored[std::get<StoredId>(argument)];
  return (stored.scope.kind == Scope::model ? "weights." : "layer.") + member(stored.role);
}

CppFunction Spelling::describe(const Call& call, const PhasePlan& phase) const {
  CppFunction function;
  function.kernel = call.kernel;
  function.about = call.about;
  function.name = call.word;
  if (phase.row->stage == Stage::encode) {
    function.name += "_encode";
  } else if (phase.row->stage != Stage::sample) {
    function.name += std::string("_") + word_of(phase.row->lowering);
  }
  std::set<std::string> taken;
  for (const Axis& axis : plan_.axes) taken.insert(axis.name);  // parameters must not hide what types are made of
  for (const Argument& argument : call.arguments) {
    function.types.push_back(type(argument));
    std::string role;
    if (const auto* buffer = std::get_if<BufferId>(&argument)) role = plan_.buffers[*buffer].role;
    if (const auto* state = std::get_if<StateId>(&argument)) role = contract_.states[*state].role;
    if (const auto* stored = std::get_if<StoredId>(&argument)) role = plan_.stored[*stored].role;
    const RolePath path = split_role(role);
    const std::string plain = path.word;
    std::string name = taken.contains(plain) && !path.space.empty() ? path.space + "_" + plain : plain;
    for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}_{}", plain, number);
    taken.insert(name);
    function.parameters.push_back(name);
  }
  function.rows = extent(call.rows);
  function.count = call.count;
  function.per_row = call.per_row ? plan_.axes[call.per_row].name + "::size" : "";
  function.banks = call.banks ? plan_.axes[call.banks].name + "::size" : "";
  return function;
}

std::vector<std::string> Spelling::roles() const {
  std::set<std::string> roles;
  for (const Buffer& buffer : plan_.buffers) roles.insert(buffer.role);
  for (const Stored& stored : plan_.stored) roles.insert(stored.role);
  for (const StateContract& state : contract_.states) roles.insert(state.role);
  return {roles.begin(), roles.end()};
}

}  // namespace monomorph::generator
