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
    if (phase.row->stage == Stage::layers) {
      layer_phases.push_back(layer_phase(phase));
    } else {
      other_phases.push_back({{"name", phase.row->name},
                              {"about", about_phase(phase, pools(*contract_.pooling))},
                              {"calls", call_lines(phase.sections[0], {})}});
    }
  }
  Holes holes = common();
  holes.merge(repeats());
  holes.insert({{"hidden_states", spelling_.argument(plan_.hidden_states, {})},
                {"several_kinds", several_kinds()},
                {"layer_phases", layer_phases},
                {"other_phases", other_phases}});
  if (several_kinds()) {
    std::vector<Holes> enumerators, order;
    for (const LayerContract& kind : contract_.kinds) enumerators.push_back({{"enumerator", enumerator_of(kind)}});
    for (const std::size_t kind : contract_.layer_kinds)
      order.push_back({{"enumerator", enumerator_of(contract_.kinds[kind])}});
    holes.insert({{"kind_count", static_cast<std::int64_t>(contract_.kinds.size())},
                  {"kinds", enumerators},
                  {"layer_order", order}});
  }
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

Holes CppWriter::layer_phase(const PhasePlan& phase) const {
  std::vector<Holes> kinds;
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    Holes names = kind_names(kind);
    std::string parameters, arguments;
    for (const std::size_t owner : read_from(kind)) {
      const std::string& word = contract_.kinds[owner].kind.identifier;
      parameters += fmt::format(", const {}LayerStates& {}_states", camel_case(word), word);
      arguments += fmt::format(", {}_layer_states(counts[{}] - 1)", word, owner);
    }
    names.insert({{"has_states", has_states(kind)},
                  {"more_parameters", parameters},
                  {"more_arguments", arguments},
                  {"calls", call_lines(phase.sections[1 + kind], {kind})}});
    kinds.push_back(names);
  }
  return {{"name", phase.row->name},
          {"about", about_phase(phase, pools(*contract_.pooling))},
          {"embed", call_lines(phase.sections[0], {})},
          {"kinds", kinds},
          {"finish", graph_.finish ? call_lines(phase.sections.back(), {}) : std::vector<Holes>{}}};
}

}  // namespace monomorph::generator
