#include "generator/emit/cpp_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/blocks/pooling.hpp"
#include "generator/clang/clang.hpp"
#include "generator/emit/resources.hpp"

namespace monomorph::generator {

std::string float_list(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) text += fmt::format("{}{}f", text.empty() ? "" : ", ", float_literal(value));
  return text;
}

std::string CppWriter::engine() const {
  Holes holes = common();
  holes.insert({"has_source", contract_.encoder() != nullptr});
  const bool vectors = pools(*contract_.pooling);
  holes.insert({"pools", vectors});
  if (vectors) holes.insert({"output_axis", plan_.axes[plan_.buffers[plan_.output].axes[1]].name});
  return render("cpp/engine.hpp", holes);
}

std::string CppWriter::short_header(const std::string& name, const std::string& short_space) const {
  return render("cpp/short.hpp",
                {{"generated", generated_}, {"header", name}, {"space", contract_.identifier}, {"short", short_space}});
}

std::string CppWriter::main() const { return render("cpp/main.cpp", common()); }

Holes CppWriter::common() const {
  return {{"generated", generated_}, {"model", contract_.name}, {"space", contract_.identifier}};
}

std::vector<std::size_t> CppWriter::kinds_of(std::size_t stack) const {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    if (contract_.kinds[kind].kind.stack == stack) kinds.push_back(kind);
  }
  return kinds;
}

Holes CppWriter::loop(std::size_t stack) const {
  const bool once = contract_.stacks[stack].repeat == 1;
  const std::string prefix = name_prefix(stack);
  const std::string layers = prefix + "num_hidden_layers";
  return {{"runs", once ? layers : prefix + "layer_repeats * " + layers},
          {"again", once ? "" : " % " + layers},
          {"several", several_kinds_in(stack)},
          {"order", prefix + "layer_kinds"},
          {"counts", prefix + "counts"},
          {"kind_count", static_cast<std::int64_t>(contract_.kinds.size())}};
}

Holes CppWriter::layer_orders() const {
  std::vector<Holes> enumerators, orders;
  for (std::size_t stack = 0; stack < contract_.stacks.size(); ++stack) {
    if (!several_kinds_in(stack)) continue;
    std::vector<Holes> layers;
    for (const std::size_t kind : contract_.stacks[stack].layer_kinds) {
      layers.push_back({{"enumerator", enumerator_of(contract_.kinds[kind])}});
    }
    const std::string prefix = name_prefix(stack);
    orders.push_back({{"name", prefix + "layer_kinds"}, {"count", prefix + "num_hidden_layers"}, {"layers", layers}});
    for (const std::size_t kind : kinds_of(stack)) {
      enumerators.push_back({{"enumerator", enumerator_of(contract_.kinds[kind])}});
    }
  }
  return {{"kinds", enumerators}, {"layer_orders", orders}};
}

std::string CppWriter::hidden_states_of(std::size_t stack) const {
  return plan_.buffers[plan_.hidden_states[stack]].name;
}

std::string CppWriter::hidden_axis_of(std::size_t stack) const {
  return plan_.axes[plan_.buffers[plan_.hidden_states[stack]].axes[1]].name;
}

bool CppWriter::is_field_of(BufferId field, std::size_t stack) const {
  const BufferId hidden_states = plan_.hidden_states[stack];
  return field != hidden_states && plan_.buffers[field].axes[0] == plan_.buffers[hidden_states].axes[0];
}

std::string CppWriter::render(const std::string& path, const Holes& holes) const {
  return format_cpp(embedded_template(path).render(holes));
}

Holes CppWriter::kind_names(std::size_t kind) const {
  const LayerContract& layer = contract_.kinds[kind];
  const bool several = several_kinds();
  return {{"about", several ? " of kind " + layer.kind.name : std::string()},
          {"prefix", several ? layer.kind.identifier + "_" : std::string()},
          {"type", several ? camel_case(layer.kind.identifier) : std::string()},
          {"enumerator", enumerator_of(layer)},
          {"again", contract_.stack_of(kind).repeat == 1
                        ? std::string()
                        : fmt::format(" % {}layer_count", several ? layer.kind.identifier + "_" : "")},
          {"index", static_cast<std::int64_t>(kind)}};
}

std::vector<std::size_t> CppWriter::read_from(std::size_t kind) const {
  std::set<std::size_t> owners;
  for (const ValueId parameter : graph_.functions[graph_.layers[kind]].parameters) {
    const Value& value = graph_.values[parameter];
    if (value.storage == Storage::state) owners.insert(contract_.states[{value.declared}].scope.kind);
  }
  owners.erase(kind);
  return {owners.begin(), owners.end()};
}

bool CppWriter::has_states(std::size_t kind) const {
  return std::any_of(contract_.states.begin(), contract_.states.end(),
                     [&](const StateContract& state) { return state.scope.kind == kind; });
}

std::int64_t CppWriter::first_weight(std::size_t kind) const {
  auto first = static_cast<std::int64_t>(contract_.weights_of({}).size());
  for (std::size_t k = 0; k < kind; ++k) {
    first += static_cast<std::int64_t>(contract_.weights_of({k}).size() * contract_.kinds[k].layers.size());
  }
  return first;
}

std::int64_t CppWriter::first_stored(std::size_t kind) const {
  auto first = static_cast<std::int64_t>(plan_.stored_of({}).size());
  for (std::size_t k = 0; k < kind; ++k) {
    first += static_cast<std::int64_t>(plan_.stored_of({k}).size() * contract_.kinds[k].layers.size());
  }
  return first;
}

}  // namespace monomorph::generator
