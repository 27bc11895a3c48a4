#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "generator/contract/parts.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/checkpoint_names.hpp"

namespace monomorph::generator {
namespace {

bool is_layer_part(const std::string& part) { return part.rfind("layers.{i}.", 0) == 0; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string without_bias(const std::string& part) {
  return ends_with(part, ".bias") ? part.substr(0, part.size() - 5) : part;
}

/// A line of checkpoint.tensors for a part that no model has, or that this one does not have.
void parts_are_used(const Spec& spec, const std::vector<NeededPart>& needed, Diagnostics& diagnostics) {
  for (const auto& [part, name] : spec.checkpoint.tensors) {
    if (!name.given) continue;
    const std::vector<std::string>& known = part_names();
    const std::string weight = without_bias(part);
    const auto line = spec.checkpoint.tensors.find(weight);
    const bool of_several = line != spec.checkpoint.tensors.end() && !line->second.fused.empty();
    if (!of_several && std::find(known.begin(), known.end(), weight) == known.end()) {
      const std::string suggestion = nearest(part, known);
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
  const CheckpointSection& checkpoint = spec.checkpoint;
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
    const bool indexed = name.name.find("{i}") != std::string::npos;
    if (indexed == is_layer_part(part)) continue;
    diagnostics.error(
        "checkpoint.layer_index", name.span,
        indexed ? fmt::format("{} is no part of a layer, so that {{i}} stands for nothing in \"{}\"", part, name.name)
                : fmt::format("\"{}\" is one tensor for all layers; {{i}} must stand where the layer's "
                              "number does",
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

void names_are_distinct(const Spec& spec, const std::vector<NeededPart>& needed, Diagnostics& diagnostics) {
  std::map<std::string, std::string> parts;
  for (const NeededPart& part : needed) {
    for (const bool bias : {false, true}) {
      const auto name = (bias ? part.bias : part.weight) ? tensor_name(spec.checkpoint, part.part, bias) : std::nullopt;
      if (!name) continue;
      const auto [known, is_new] = parts.emplace(*name, part.part);
      if (is_new) continue;
      diagnostics.error(
          "checkpoint.tensors_distinct", span_of(spec.checkpoint, part.part, bias),
          fmt::format("{} and {} are both said to be the tensor \"{}\"", known->second, part.part, *name));
    }
  }
}

void transposed_is_a_projection(const std::string& part, const TensorName& name, Diagnostics& diagnostics) {
  const bool is_vector = ends_with(part, "norm") || ends_with(part, ".bias");
  if (!name.transposed || (!is_vector && part.rfind("embedding.", 0) != 0)) return;
  diagnostics.error("checkpoint.transform", name.span,
                    fmt::format("{} is no projection: it cannot stand transposed", part));
}

/// Projections that may share a tensor: those of one input.
const std::vector<std::string>& projections_of_one_input(const std::string& line) {
  static const std::vector<std::string> attention = {"q", "k", "v"}, mlp = {"gate", "up"}, none;
  if (line.rfind("layers.{i}.attention.", 0) == 0) return attention;
  return line.rfind("layers.{i}.mlp.", 0) == 0 ? mlp : none;
}

void fused_parts_fit(const std::string& line, const TensorName& name, Diagnostics& diagnostics) {
  const std::vector<std::string>& fit = projections_of_one_input(line);
  const std::vector<std::string>& known = part_names();
  const bool is_one = ends_with(line, ".bias") || std::find(known.begin(), known.end(), line) != known.end();
  if (fit.empty() || is_one) {
    diagnostics.error("checkpoint.transform", name.span,
                      fmt::format("{} is one part; a tensor of several is called by a word of its own, as "
                                  "layers.{{i}}.attention.qkv or layers.{{i}}.mlp.gate_up is",
                                  line));
    return;
  }
  const std::set<std::string> words(name.fused.begin(), name.fused.end());
  const bool all_fit = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(fit.begin(), fit.end(), word) != fit.end();
  });
  if (all_fit && words.size() == name.fused.size() && words.size() > 1) return;
  diagnostics.error("checkpoint.transform", name.span,
                    fmt::format("{} holds several projections of one input: fused must list at least two of \"{}\", "
                                "each once, in the order of their rows",
                                line, fmt::join(fit, "\", \"")));
}

/// Rows that alternate by heads: of parts that have the same heads.
void interleaved_parts_have_heads(const Spec& spec, const std::string& line, const TensorName& name,
                                  Diagnostics& diagnostics) {
  const auto error = [&](const std::string& message) {
    diagnostics.error("checkpoint.interleaved", name.span, message);
  };
  if (name.interleaved != "head") {
    return error(fmt::format("interleaved is \"{}\"; \"head\" is required: of each head, its rows of the parts in turn",
                             name.interleaved));
  }
  if (name.fused.empty() || line.rfind("layers.{i}.attention.", 0) != 0) {
    return error(
        fmt::format("{} has no heads that alternate: interleaved belongs to a tensor of several out of q, k "
                    "and v",
                    line));
  }
  for (const LayerKind& kind : spec.kinds) {
    const AttentionSection& attention = kind.attention;
    if (!kind.has_step("attention") || attention.num_attention_heads.value == attention.num_key_value_heads.value)
      continue;
    return error(fmt::format("{} alternates by head, and {} heads of queries share {} of keys and values", line,
                             attention.num_attention_heads.value, attention.num_key_value_heads.value));
  }
}

/// Every row of a tensor is read: a layer that has one part of a tensor has the others.
void fused_parts_are_there(const Spec& spec, const std::string& line, const TensorName& name,
                           Diagnostics& diagnostics) {
  if (line.rfind("layers.{i}.mlp.", 0) != 0) return;
  for (const LayerKind& kind : spec.kinds) {
    if (!kind.has_step("mlp") || kind.mlp.type.value != "plain") continue;
    diagnostics.error("checkpoint.transform", name.span,
                      fmt::format("a plain MLP has no gate: nothing would read its rows of \"{}\"", name.name));
    return;
  }
}

void transforms_apply(const Spec& spec, Diagnostics& diagnostics) {
  for (const auto& [part, name] : spec.checkpoint.tensors) {
    if (!name.given) continue;
    transposed_is_a_projection(part, name, diagnostics);
    if (!name.interleaved.empty()) interleaved_parts_have_heads(spec, part, name, diagnostics);
    if (name.fused.empty()) continue;
    fused_parts_fit(part, name, diagnostics);
    fused_parts_are_there(spec, part, name, diagnostics);
  }
}

/// A tensor of its own, or rows of one tensor: not both.
void parts_are_said_once(const CheckpointSection& checkpoint, Diagnostics& diagnostics) {
  std::map<std::string, std::string> lines;  // of a part
  for (const auto& [line, name] : checkpoint.tensors) {
    if (name.fused.empty()) continue;
    for (const std::string& part : parts_of_line(line, name.fused)) {
      const auto own = checkpoint.tensors.find(part);
      if (own != checkpoint.tensors.end() && own->second.fused.empty()) {
        diagnostics.error("checkpoint.part_once", own->second.span,
                          fmt::format("{} stands alone and in {}; give the one or the other", part, line));
      }
      const auto [other, is_new] = lines.emplace(part, line);
      if (is_new || other->second == line) continue;
      diagnostics.error("checkpoint.part_once", name.span,
                        fmt::format("{} stands in {} and in {}; give the one or the other", part, other->second, line));
    }
  }
}

void dtype_patterns_match(const Spec& spec, const std::vector<NeededPart>& needed, Diagnostics& diagnostics) {
  for (const auto& [pattern, dtype] : spec.checkpoint.dtypes) {
    const bool used = std::any_of(needed.begin(), needed.end(), [&, &pattern = pattern](const NeededPart& part) {
      return matches(pattern, part.part) || (part.bias && matches(pattern, part.part + ".bias"));
    });
    if (used) continue;
    std::vector<std::string> names;
    for (const NeededPart& part : needed) names.push_back(part.part);
    const std::string suggestion = nearest(pattern, names);
    diagnostics.error("checkpoint.dtypes_match", dtype.span,
                      fmt::format("\"{}\" matches no part of this model{}", pattern,
                                  suggestion.empty() ? "" : "; did you mean " + suggestion + "?"));
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
  for (const IgnoredTensor& ignored : spec.checkpoint.ignore) {
    if (!ignored.given) continue;
    if (ignored.why.empty()) {
      diagnostics.error("checkpoint.ignore", ignored.span, "why this tensor is ignored must be said");
    }
    for (const NeededPart& part : needed) {
      if (ignored.name != tensor_name(spec.checkpoint, part.part, false) &&
          !(part.bias && ignored.name == tensor_name(spec.checkpoint, part.part, true))) {
        continue;
      }
      diagnostics.error(
          "checkpoint.ignore", ignored.span,
          fmt::format("\"{}\" is the part {} of this model: it cannot be ignored", ignored.name, part.part));
    }
  }
}

void prefix_is_not_empty(const CheckpointSection& checkpoint, Diagnostics& diagnostics) {
  if (!checkpoint.prefix.given || !checkpoint.prefix.value.empty()) return;
  diagnostics.error("checkpoint.prefix", checkpoint.prefix.span,
                    "checkpoint.prefix is an empty list; no prefix is [\"\"], which is the default");
}

}  // namespace

void check_fused_biases(const CheckpointSection& checkpoint, const std::string& section, const Field<Biases>& bias,
                        Diagnostics& diagnostics) {
  const std::string prefix = "layers.{i}." + section + ".";
  for (const auto& [line, name] : checkpoint.tensors) {
    if (name.fused.empty() || line.rfind(prefix, 0) != 0) continue;
    const auto count = std::count_if(name.fused.begin(), name.fused.end(),
                                     [&](const std::string& word) { return bias.value.has(word); });
    if (count == 0 || count == static_cast<std::ptrdiff_t>(name.fused.size())) continue;
    diagnostics.error(section + ".bias_fused", bias.span,
                      fmt::format("the checkpoint keeps {} in one tensor, so that all of them have a bias or none has",
                                  fmt::join(name.fused, ", ")));
  }
}

void check_checkpoint_rules(const Spec& spec, Diagnostics& diagnostics) {
  const std::vector<NeededPart> needed = needed_parts(spec);
  parts_are_used(spec, needed, diagnostics);
  parts_have_names(spec, needed, diagnostics);
  layer_names_have_an_index(spec.checkpoint, diagnostics);
  names_are_distinct(spec, needed, diagnostics);
  transforms_apply(spec, diagnostics);
  parts_are_said_once(spec.checkpoint, diagnostics);
  dtype_patterns_match(spec, needed, diagnostics);
  names_are_printable(spec.checkpoint, diagnostics);
  ignored_tensors_are_unused(spec, needed, diagnostics);
  prefix_is_not_empty(spec.checkpoint, diagnostics);
}

}  // namespace monomorph::generator
