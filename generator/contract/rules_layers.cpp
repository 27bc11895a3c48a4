#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "generator/contract/rules.hpp"
#include "generator/spec/fields.hpp"

namespace monomorph::generator {
namespace {

const std::vector<std::string> sub_blocks = {"attention", "mlp"};

void steps_are_not_empty(const LayerKind& kind, Diagnostics& diagnostics) {
  if (!kind.steps.value.empty()) return;
  diagnostics.error("layers.steps_empty", kind.steps.span,
                    fmt::format("a layer of the kind {} has no steps; a layer has at least one of {}", kind.name,
                                one_of(sub_blocks)));
}

void steps_are_known(const LayerKind& kind, Diagnostics& diagnostics) {
  for (const std::string& step : kind.steps.value) {
    if (step.find('+') != std::string::npos) {
      diagnostics.error(
          "layers.steps_parallel", kind.steps.span,
          fmt::format("the step \"{}\" runs sub-blocks side by side, which is not implemented; write them "
                      "as steps of their own, one after the other",
                      step));
    } else if (std::find(sub_blocks.begin(), sub_blocks.end(), step) == sub_blocks.end()) {
      const std::string suggestion = nearest(step, sub_blocks);
      diagnostics.error("layers.steps_known", kind.steps.span,
                        fmt::format("there is no step \"{}\"; a step is {}{}", step, one_of(sub_blocks),
                                    suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
    }
  }
}

/// Each sub-block's weights stand in the checkpoint once for a layer.
void steps_occur_once(const LayerKind& kind, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (const std::string& step : kind.steps.value) {
    if (seen.insert(step).second) continue;
    diagnostics.error("layers.steps_repeat", kind.steps.span,
                      fmt::format("the step \"{}\" occurs twice in one layer; a layer has weights for one", step));
  }
}

/// Kinds name structs of the emitted code, and qualify what several of them have; names that would clash are numbered.
void kinds_are_identifiers(const Spec& spec, Diagnostics& diagnostics) {
  std::set<std::string> structs;
  for (const LayerKind& kind : spec.kinds) {
    const bool begins = !kind.name.empty() && std::isalpha(static_cast<unsigned char>(kind.name.front())) != 0;
    const bool fits = begins && std::all_of(kind.name.begin(), kind.name.end(), [](char c) {
                        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
                      });
    if (!fits) {
      diagnostics.error(
          "layers.kind_name", kind.span,
          fmt::format("\"{}\" cannot name a kind of layer: letters, digits, \"_\" and \"-\" are required, "
                      "a letter first",
                      kind.name));
      continue;
    }
    // Structs are called by the kind in camel case.
    std::string joined;
    for (const char c : kind.identifier) {
      if (c != '_') joined += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (!structs.insert(joined).second) {
      diagnostics.error(
          "layers.kind_name", kind.span,
          fmt::format("the kind {} and another differ in case or \"_\" alone; rename one of them", kind.name));
      continue;
    }
  }
}

}  // namespace

void check_layer_rules(const Spec& spec, Diagnostics& diagnostics) {
  for (const LayerKind& kind : spec.kinds) {
    steps_are_not_empty(kind, diagnostics);
    steps_are_known(kind, diagnostics);
    steps_occur_once(kind, diagnostics);
  }
  kinds_are_identifiers(spec, diagnostics);
}

}  // namespace monomorph::generator
