#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "generator/blocks/added_positions.hpp"
#include "generator/blocks/layer.hpp"
#include "generator/contract/rules.hpp"

namespace monomorph::generator {
namespace {

/// What depends on a distance is told to scores and keys, whatever the embedding has added (MPNet).
bool tells_distances(const std::string& position_type) {
  return position_type == "relative_buckets" || position_type == "relative" || position_type == "alibi";
}

/// Positions that are added to the embedding are there before any layer: neither kinds nor sub-blocks can differ in it.
void added_positions_are_the_models(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics) {
  const Held<PositionSection>& of_stack = kind.stack == own_stack ? spec.position : spec.encoder->position;
  const std::string& model = of_stack->type.value;
  const bool added = adds_positions(model);
  for (const PositionSection* position : kind.positions()) {
    const Field<std::string>& own = position->type;
    if (own.value == model || !(added || adds_positions(own.value))) continue;
    if (added && tells_distances(own.value)) continue;
    const std::string rule = fmt::format("position.{}_for_all", added ? model : own.value);
    diagnostics.error(
        rule, own.span,
        added
            ? fmt::format("{} positions are added to the embedding, for all layers: the kind {} cannot have \"{}\" in "
                          "their place",
                          model, kind.name, own.value)
            : fmt::format("{} positions are added to the embedding, for all layers: say so in [position], not for the "
                          "kind {}",
                          own.value, kind.name));
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
  const std::int64_t layers = std::clamp<std::int64_t>(spec.model.num_hidden_layers.value, 1, max_hidden_layers);
  check_range(spec.repeat, "layers.repeat", 1, max_hidden_layers / layers, diagnostics);
  for (const LayerKind& kind : spec.kinds) {
    check_layer(spec, kind, diagnostics);
    added_positions_are_the_models(spec, kind, diagnostics);
  }
  kinds_are_identifiers(spec, diagnostics);
}

}  // namespace monomorph::generator
