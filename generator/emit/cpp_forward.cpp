#include "generator/emit/cpp_writer.hpp"

namespace monomorph::generator {
namespace {

std::string without_prefix(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

std::string CppWriter::kernels() const {
  std::vector<Holes> functions;
  for (const FunctionPlan& function : plan_.functions) {
    std::vector<Holes> parameters;
    std::string arguments;
    for (const ParameterPlan& parameter : function.parameters) {
      parameters.push_back({{"type", parameter.cpp_type}, {"name", parameter.name}});
      arguments += ", " + parameter.name;
    }
    functions.push_back({{"name", function.name},
                         {"about", function.about},
                         {"kernel", static_cast<std::int64_t>(function.kernel)},
                         {"parameters", parameters},
                         {"arguments", arguments},
                         {"rows", function.rows},
                         {"tokens", function.tokens}});
  }
  Holes holes = common();
  holes.insert({"functions", functions});
  return render("cpp/kernels.hpp", holes);
}

std::string CppWriter::forward() const {
  std::vector<Holes> phases;
  phases.push_back(phase("prefill", "Up to tokens::size tokens: token_ids to hidden_states, keys and values cached.",
                         plan_.prefill));
  phases.push_back(
      phase("decode", "One token: token_ids[0] to hidden_states, its key and value cached.", plan_.decode));
  Holes holes = common();
  holes.insert({{"several_kinds", several_kinds()},
                {"phases", phases},
                {"head", call_lines(plan_.head.epilogue, false)},
                {"sample", call_lines(plan_.sample.epilogue, false)}});
  if (several_kinds()) {
    std::vector<Holes> enumerators, order;
    for (const LayerContract& kind : contract_.kinds) enumerators.push_back({{"enumerator", kind.identifier}});
    for (const std::size_t kind : contract_.layer_kinds)
      order.push_back({{"enumerator", contract_.kinds[kind].identifier}});
    holes.insert({{"kind_count", static_cast<std::int64_t>(contract_.kinds.size())},
                  {"kinds", enumerators},
                  {"layer_order", order}});
  }
  return render("cpp/forward.hpp", holes);
}

std::string CppWriter::reference() const {
  std::vector<Holes> kinds;
  for (std::size_t index = 0; index < contract_.kinds.size(); ++index) {
    const LayerContract& kind = contract_.kinds[index];
    Holes names = kind_names(index);
    names.insert({{"rotary", !kind.attention.rotary_frequencies.empty() && plan_.caches[index].present},
                  {"frequencies", float_list(kind.attention.rotary_frequencies)},
                  {"ops", reference_lines(graph_.layers[index], contract_, &kind)}});
    kinds.push_back(names);
  }
  Holes holes = common();
  holes.insert({{"kinds", kinds},
                {"several_kinds", several_kinds()},
                {"prologue", reference_lines(graph_.prologue, contract_, nullptr)},
                {"epilogue", reference_lines(graph_.epilogue, contract_, nullptr)}});
  if (several_kinds()) holes.insert({"kind_count", static_cast<std::int64_t>(contract_.kinds.size())});
  return render("cpp/reference.hpp", holes);
}

std::vector<Holes> CppWriter::call_lines(const std::vector<CallPlan>& calls, bool in_layer) const {
  std::vector<Holes> lines;
  for (const CallPlan& call : calls) {
    std::string text = plan_.functions[call.function].name + "(record";
    for (const std::string& argument : call.arguments) {
      text += ", " + (in_layer ? without_prefix(argument, "buffers::") : argument);
    }
    lines.push_back({{"text", text + ");"}});
  }
  return lines;
}

Holes CppWriter::phase(const std::string& name, const std::string& about, const PhasePlan& phase) const {
  std::vector<Holes> kinds;
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    Holes names = kind_names(kind);
    names.insert({"calls", call_lines(phase.layers[kind], true)});
    kinds.push_back(names);
  }
  return {{"name", name}, {"about", about}, {"prologue", call_lines(phase.prologue, false)}, {"kinds", kinds}};
}

}  // namespace monomorph::generator
