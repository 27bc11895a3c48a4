#include <fmt/format.h>

#include "generator/blocks/pooling.hpp"
#include "generator/emit/cpp_writer.hpp"
#include "generator/plan/words.hpp"

namespace monomorph::generator {
namespace {

const char* about_phase(const PhasePlan& phase, bool pools) {
  const bool few = phase.row->lowering == Lowering::few;
  if (phase.row->stage == Stage::head) {
    if (few) return "The same, of several rows at once.";
    return pools ? "The vectors of the texts that are wanted." : "Final norm and logits of the rows that are wanted.";
  }
  if (phase.row->stage == Stage::sample) return "Draws the next token of each slot and makes it the next pass's input.";
  if (phase.row->stage == Stage::encode) {
    return "Up to source_tokens::size tokens of sources: their ids to what slots keep of them.";
  }
  if (few) return "A few tokens, for which each matrix is read once.";
  return phase.row->lowering == Lowering::vector ? "One token: its id to hidden_states, and states."
                                                 : "Up to tokens::size tokens: their ids to hidden_states, and states.";
}

}  // namespace

std::string CppWriter::kernels() const {
  std::vector<Holes> functions;
  for (const CppFunction& function : spelling_.functions()) {
    std::vector<Holes> parameters;
    std::string arguments;
    for (std::size_t i = 0; i < function.types.size(); ++i) {
      parameters.push_back({{"type", "const " + function.types[i] + "&"}, {"name", function.parameters[i]}});
      arguments += ", " + function.parameters[i];
    }
    std::string count;
    if (function.count != Count::rows)
      count = fmt::format(", Count::{}, {}", name_of(function.count), function.per_row);
    if (!function.banks.empty()) count += ", " + function.banks;
    functions.push_back({{"name", function.name},
                         {"about", function.about},
                         {"kernel", static_cast<std::int64_t>(function.kernel.index)},
                         {"parameters", parameters},
                         {"arguments", arguments},
                         {"rows", function.rows},
                         {"count", count}});
  }
  Holes holes = common();
  holes.insert({"functions", functions});
  return render("cpp/kernels.hpp", holes);
}

std::string CppWriter::forward() const {
  std::vector<Holes> layer_phases, other_phases;
  for (const PhasePlan& phase : plan_.phases) {
    if (phase.row->stage == Stage::layers || phase.row->stage == Stage::encode) {
      layer_phases.push_back(layer_phase(phase));
    } else {
      other_phases.push_back({{"name", phase.row->name},
                              {"about", about_phase(phase, pools(*contract_.pooling))},
                              {"calls", call_lines(phase.sections[0], {})}});
    }
  }
  Holes holes = common();
  holes.merge(layer_orders());
  holes.insert({{"layer_phases", layer_phases}, {"other_phases", other_phases}});
  return render("cpp/forward.hpp", holes);
}

std::vector<Holes> CppWriter::call_lines(const Section& section, Scope layer) const {
  std::vector<Holes> lines;
  for (const Call& call : section.calls) {
    std::string text = spelling_.function(call).name + "(record";
    for (const Argument& argument : call.arguments) text += ", " + spelling_.argument(argument, layer);
    lines.push_back({{"text", text + ");"}});
  }
  return lines;
}

Holes CppWriter::layer_function(const PhasePlan& phase, std::size_t kind, bool of_source) const {
  Holes names = kind_names(kind);
  std::string parameters, arguments;
  for (const std::size_t owner : of_source ? std::vector<std::size_t>{} : read_from(kind)) {
    const std::string& word = contract_.kinds[owner].kind.identifier;
    parameters += fmt::format(", const {}LayerStates& {}_states", camel_case(word), word);
    arguments += fmt::format(", {}_layer_states(counts[{}] - 1)", word, owner);
  }
  const FunctionId function = of_source ? graph_.sources[kind] : graph_.layers[kind];
  const std::string about = std::get<std::string>(names.at("about").value);
  const std::string hidden_states = hidden_states_of(contract_.kinds[kind].kind.stack);
  names.insert_or_assign("about", of_source
                                      ? fmt::format("What one layer{} keeps of a source", about)
                                      : fmt::format("One layer{}: {} to {}", about, hidden_states, hidden_states));
  names.insert({{"function", fmt::format("layer_{}{}", of_source ? "source_" : "", phase.row->name)},
                {"has_states", has_states(kind)},
                {"more_parameters", parameters},
                {"more_arguments", arguments},
                {"calls", call_lines(phase.section_of(function), {kind})}});
  return names;
}

Holes CppWriter::layer_phase(const PhasePlan& phase) const {
  const std::size_t stack = phase.row->stage == Stage::encode ? encoder_stack : own_stack;
  const Stack& functions = graph_.stacks[stack];
  std::vector<Holes> kinds, sources, parts;
  for (const std::size_t kind : kinds_of(stack)) kinds.push_back(layer_function(phase, kind, false));
  Holes layers = loop(stack);
  layers.insert({{"calls", call_lines(phase.section_of(functions.embed), {})},
                 {"kinds", kinds},
                 {"partial", kinds.size() < contract_.kinds.size()},
                 {"ends", "buffers::" + hidden_states_of(stack)}});
  parts.push_back(std::move(layers));
  for (const std::size_t kind : kinds_of(own_stack)) {
    if (stack == encoder_stack && graph_.sources[kind]) sources.push_back(layer_function(phase, kind, true));
  }
  const std::vector<Holes> after =
      functions.finish ? call_lines(phase.section_of(functions.finish), {}) : std::vector<Holes>{};
  if (!after.empty() || !sources.empty()) {
    Holes rest = loop(own_stack);
    rest.insert({{"calls", after}, {"kinds", sources}, {"partial", true}, {"ends", std::string()}});
    parts.push_back(std::move(rest));
  }
  std::vector<Holes> all = kinds;
  all.insert(all.end(), sources.begin(), sources.end());
  return {{"name", phase.row->name},
          {"about", about_phase(phase, pools(*contract_.pooling))},
          {"kinds", all},
          {"parts", parts}};
}

}  // namespace monomorph::generator
