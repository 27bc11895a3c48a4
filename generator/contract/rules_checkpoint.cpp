#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/checkpoint_section.hpp"

namespace monomorph::generator {
namespace {

bool is_layer_part(const std::string& part) {
  const std::string layers = "layers.{i}.";
  return part.starts_with(layers) || part.starts_with(section_prefix(encoder_stack) + layers);
}

/// A line of checkpoint.tensors for a part that no model has, or that this one does not have.
void parts_are_used(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  const std::vector<NeededPart>& needed = declared.parts();
  for (const auto& [part, name] : spec.checkpoint->tensors) {
    if (!name.given) continue;
    const std::string weight = without_bias(part);
    const auto line = spec.checkpoint->tensors.find(weight);
    const bool of_several = line != spec.checkpoint->tensors.end() && !line->second.fused.empty();
    if (!of_several && !is_part(weight, declared)) {
      const std::string suggestion = nearest(part, part_names());
      diagnostics.error("checkpoint.part_known", name.span,
                        fmt::format("no part is called {}{}", part,
                                    suggestion.empty() ? "; parts are called as layers.{i}.attention.q, final_norm ..."
                                                       : "; did you mean " + suggestion + "?"));
      continue;
    }
    const auto found = std::find_if(needed.begin(), needed.end(),
                                    [&](const NeededPart& needed_part) { return needed_part.part == weight; });
    if (found == needed.end() || (part != weight && !found->bias)) {
      diagnostics.error("checkpoint.part_unused", name.span,
                        fmt::format("this model has no part {}: nothing would be read from \"{}\"", part, name.name));
    }
  }
}

void parts_have_names(const Spec& spec, const std::vector<NeededPart>& needed, Diagnostics& diagnostics) {
  const CheckpointSection& checkpoint = *spec.checkpoint;
  if (checkpoint.tensors.empty()) {
    if (!checkpoint.dtype.given) return;  // the section itself is missing
    diagnostics.error("checkpoint.tensors_missing", checkpoint.span,
                      "nothing says what the checkpoint's tensors are called: give checkpoint.names, or "
                      "[checkpoint.tensors]");
    return;
  }
  for (const NeededPart& part : needed) {
    for (const bool bias : {false, true}) {
      if ((bias ? !part.bias : !part.weight) || tensor_name(checkpoint, part.part, bias)) continue;
      if (bias && !tensor_name(checkpoint, part.part, false)) continue;  // said of its weight
      diagnostics.error(
          "checkpoint.tensors_missing", checkpoint.names.given ? checkpoint.names.span : checkpoint.span,
          fmt::format("no name for the part {}{}: {}", part.part, bias ? ".bias" : "",
                      checkpoint.names.given ? fmt::format("the table \"{}\" has none; give it in [checkpoint.tensors]",
                                                           checkpoint.names.value)
                                             : std::string("give it in [checkpoint.tensors]")));
    }
  }
}

void layer_names_have_an_index(const CheckpointSection& checkpoint, Diagnostics& diagnostics) {
  for (const auto& [part, name] : checkpoint.tensors) {
    if (!name.given) continue;
    const bool indexed = is_of_each_layer(name.name) || is_of_sets(name.name);
    if (name.shared && (indexed || !is_layer_part(part))) {
      diagnostics.error("checkpoint.shared", name.span,
                        indexed
                            ? fmt::format("\"{}\" is a tensor of each layer by its {{i}}, and shared by all", name.name)
                            : fmt::format("{} is no part of a layer, which alone can be shared by all", part));
      continue;
    }
    if (indexed == (is_layer_part(part) && !name.shared)) continue;
    diagnostics.error(
        "checkpoint.layer_index", name.span,
        indexed ? fmt::format("{} is no part of a layer, so that {{i}} stands for nothing in \"{}\"", part, name.name)
                : fmt::format("\"{}\" is one tensor for all layers; {{i}} must stand where the layer's "
                              "number does, or shared = true say so",
                              name.name));
  }
}

/// Where a part's name is given: its own, or its weight's from which that of a bias follows.
Span span_of(const CheckpointSection& checkpoint, const std::string& part, bool bias) {
  for (const std::string& name : {bias ? part + ".bias" : part, part}) {
    const auto found = checkpoint.tensors.find(name);
    if (found != checkpoint.tensors.end()) return found->second.span;
  }
  return checkpoint.span;
}

/// Sets of weights are those of a kind that has some in turn.
void sets_are_there(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  for (const WeightContract& weight : declared.contract().weights) {
    if (weight.scope.kind == Scope::model || !weight.in_checkpoint()) continue;
    const LayerKind& kind = spec.kinds[weight.scope.kind];
    const std::string& name = weight.sources.front().pattern();
    if (kind.weight_sets.given || !is_of_sets(name)) continue;
    const std::string part = without_bias(weight.part);
    const auto* line = fused_line(*spec.checkpoint, part);
    diagnostics.error(
        "checkpoint.weight_sets", span_of(*spec.checkpoint, line != nullptr ? line->first : part, weight.part != part),
        fmt::format("\"{}\" names sets of weights, and layers of the kind {} have none: say how many in "
                    "{}, or write {{i}}",
                    name, kind.name,
                    kind.in_pattern.empty() ? "layers.weight_sets" : "layers." + kind.in_pattern + ".weight_sets"));
  }
}

/// Of each part that has a tensor, the kinds of layer that have it; the model itself is one.
std::map<std::string, std::set<std::size_t>> kinds_of_parts(const Spec& spec, const Declarations& declared) {
  std::map<std::string, std::set<std::size_t>> kinds;
  for (const WeightContract& weight : declared.contract().weights) {
    const std::string part = without_bias(weight.part);
    const auto* line = fused_line(*spec.checkpoint, part);
    kinds[line != nullptr ? line->first : part].insert(weight.scope.kind);
  }
  return kinds;
}

/// Parts of one kind of layer have tensors of their own; those of several may be called alike where {i} tells them
/// apart.
void names_are_distinct(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  const std::map<std::string, std::set<std::size_t>> kinds = kinds_of_parts(spec, declared);
  std::map<std::pair<std::size_t, std::string>, std::string> parts;  // by kind of layer and name
  for (const NeededPart& part : declared.parts()) {
    for (const bool bias : {false, true}) {
      const auto name =
          (bias ? part.bias : part.weight) ? tensor_name(*spec.checkpoint, part.part, bias) : std::nullopt;
      const auto having = kinds.find(part.part);
      if (!name || having == kinds.end()) continue;
      const bool of_layers = is_of_each_layer(*name) || is_of_sets(*name);
      for (const std::size_t kind : having->second) {
        const auto [known, is_new] = parts.emplace(std::pair(of_layers ? kind : Scope::model, *name), part.part);
        if (is_new || known->second == part.part) continue;
        diagnostics.error(
            "checkpoint.tensors_distinct", span_of(*spec.checkpoint, part.part, bias),
            fmt::format("{} and {} are both said to be the tensor \"{}\"", known->second, part.part, *name));
        break;
      }
    }
  }
}

/// They stand in literals of the emitted C++, and in messages.
void names_are_printable(const CheckpointSection& checkpoint, Diagnostics& diagnostics) {
  const auto check = [&](const std::string& name, const Span& span) {
    const bool fits =
        std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    if (fits) return;
    diagnostics.error("checkpoint.name_characters", span,
                      "a tensor's name has printable ASCII characters other than \" and \\");
  };
  for (const auto& [part, name] : checkpoint.tensors) check(name.name, name.span);
  for (const std::string& prefix : checkpoint.prefix.value) check(prefix, checkpoint.prefix.span);
  for (const IgnoredTensor& ignored : checkpoint.ignore) check(ignored.name, ignored.span);
}

void ignored_tensors_are_unused(const Spec& spec, const std::vector<NeededPart>& needed, Diagnostics& diagnostics) {
  for (const IgnoredTensor& ignored : spec.checkpoint->ignore) {
    if (!ignored.given) continue;
    if (ignored.why.empty()) {
      diagnostics.error("checkpoint.ignore", ignored.span, "why this tensor is ignored must be said");
    }
    const std::size_t star = ignored.name.find('*');
    if (star != std::string::npos && star + 1 < ignored.name.size()) {
      diagnostics.error("checkpoint.ignore", ignored.span,
                        fmt::format("\"{}\" has a * before its end; one at the end stands for anything", ignored.name));
    }
    for (const NeededPart& part : needed) {
      const auto is_ignored = [&](bool bias) {
        const std::optional<std::string> name = tensor_name(*spec.checkpoint, part.part, bias);
        return name && matches(ignored.name, *name);
      };
      if (!is_ignored(false) && !(part.bias && is_ignored(true))) continue;
      diagnostics.error(
          "checkpoint.ignore", ignored.span,
          fmt::format("\"{}\" is the part {} of this model: it cannot be ignored", ignored.name, part.part));
      break;
    }
  }
}

void prefix_is_not_empty(const CheckpointSection& checkpoint, Diagnostics& diagnostics) {
  if (!checkpoint.prefix.given || !checkpoint.prefix.value.empty()) return;
  diagnostics.error("checkpoint.prefix", checkpoint.prefix.span,
                    "checkpoint.prefix is an empty list; no prefix is [\"\"], which is the default");
}

}  // namespace

void check_checkpoint_rules(const Spec& spec, const Declarations& declared, Diagnostics& diagnostics) {
  const std::vector<NeededPart>& needed = declared.parts();
  parts_are_used(spec, declared, diagnostics);
  parts_have_names(spec, needed, diagnostics);
  layer_names_have_an_index(*spec.checkpoint, diagnostics);
  sets_are_there(spec, declared, diagnostics);
  names_are_distinct(spec, declared, diagnostics);
  check_tensor_rules(*spec.checkpoint, declared, diagnostics);
  check_dtype_rules(spec, declared, diagnostics);
  names_are_printable(*spec.checkpoint, diagnostics);
  ignored_tensors_are_unused(spec, needed, diagnostics);
  prefix_is_not_empty(*spec.checkpoint, diagnostics);
}

}  // namespace monomorph::generator
