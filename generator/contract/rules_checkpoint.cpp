#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/checkpoint_section.hpp"

namespace monomorph::generator {
namespace {

bool is_layer_part(const std::string& part) { return part.rfind("layers.{i}.", 0) == 0; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string without_bias(const std::string& part) {
  return ends_with(part, ".bias") ? part.substr(0, part.size() - 5) : part;
}

/// Whether this is a part of some model, or of this one.
bool is_part(const std::string& part, const Declarations& declared) {
  const std::vector<std::string>& known = part_names();
  const Table<WeightContract>& weights = declared.contract().weights;
  return std::find(known.begin(), known.end(), part) != known.end() ||
         std::any_of(weights.begin(), weights.end(), [&](const WeightContract& weight) { return weight.part == part; });
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
    const bool indexed = name.name.find("{i}") != std::string::npos;
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

/// Whether a tensor holds projections of experts.
bool is_of_experts(const std::string& line, const TensorName& name, const Declarations& declared) {
  const std::vector<std::string> parts = parts_of_line(line, name.fused);
  return std::ranges::any_of(declared.groups(), [&](const ProjectionGroup& group) {
    return std::ranges::any_of(group.projections, [&](const Projection& one) {
      return rows_of(one, declared.contract().axes).experts > 0 &&
             std::ranges::count(parts, group.prefix + one.word) > 0;
    });
  });
}

/// A name counts a part's tensors where its rows are in groups, and no other part stands among them but an expert's.
void counted_tensors_have_groups(const CheckpointSection& checkpoint, const Declarations& declared,
                                 Diagnostics& diagnostics) {
  const Contract& contract = declared.contract();
  for (const auto& [line, name] : checkpoint.tensors) {
    if (name.name.find("{j}") == std::string::npos) continue;
    const bool several = !name.fused.empty() && !is_of_experts(line, name, declared);
    if (name.given && (several || (!name.interleaved.empty() && name.interleaved != "row"))) {
      diagnostics.error("checkpoint.counted", name.span,
                        fmt::format("\"{}\" is a tensor of each group of one part's rows: it is neither fused nor "
                                    "interleaved. That of an expert may hold gate and up, one after the other, or with "
                                    "interleaved = \"row\" in turn",
                                    name.name));
      continue;
    }
    for (const WeightContract& weight : contract.weights) {
      if (without_bias(weight.part) != without_bias(line)) continue;
      const std::vector<AxisId>& groups = contract.axes[weight.axes.front()].factors;
      if (!groups.empty() && contract.axes[groups.front()].size <= most_tensors_of_a_part) continue;
      diagnostics.error(
          "checkpoint.counted", name.span,
          groups.empty() ? fmt::format("{{j}} counts tensors of heads or of experts in \"{}\", and {} has no rows that "
                                       "are theirs; a norm of heads has with per_head = true",
                                       name.name, weight.part)
                         : fmt::format("{{j}} in \"{}\" would count {} tensors; {} may have {}", name.name,
                                       contract.axes[groups.front()].size, weight.part, most_tensors_of_a_part));
      break;
    }
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
      const bool of_layers = name->find("{i}") != std::string::npos;
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

void transposed_is_a_projection(const std::string& part, const TensorName& name, Diagnostics& diagnostics) {
  const bool is_vector = ends_with(part, "norm") || ends_with(part, ".bias");
  if (!name.transposed || (!is_vector && part.rfind("embedding.", 0) != 0)) return;
  diagnostics.error("checkpoint.transform", name.span,
                    fmt::format("{} is no projection: it cannot stand transposed", part));
}

/// Last words of what may share a tensor with these: projections of one input, of whatever kind of layer.
std::set<std::string> words_of_one_input(const std::string& line, const std::vector<std::string>& fused,
                                         const Declarations& declared) {
  const std::string prefix = line.substr(0, line.rfind('.') + 1);
  std::map<std::string, std::set<std::string>> by_input;
  std::string input;
  for (const ProjectionGroup& group : declared.groups()) {
    if (group.prefix != prefix) continue;
    if (input.empty()) input = group.input;
    for (const Projection& one : group.projections) {
      by_input[group.input].insert(one.word);
      if (one.word == fused.front()) input = group.input;
    }
  }
  return by_input[input];
}

/// Whether they do.
bool fused_parts_fit(const std::string& line, const TensorName& name, const Declarations& declared,
                     Diagnostics& diagnostics) {
  const std::set<std::string> fit = words_of_one_input(line, name.fused, declared);
  if (fit.empty() || ends_with(line, ".bias") || is_part(line, declared)) {
    diagnostics.error("checkpoint.transform", name.span,
                      fmt::format("{} is one part; a tensor of several is called by a word of its own, as "
                                  "layers.{{i}}.attention.qkv or layers.{{i}}.mlp.gate_up is",
                                  line));
    return false;
  }
  const std::set<std::string> words(name.fused.begin(), name.fused.end());
  const bool all_fit =
      std::all_of(words.begin(), words.end(), [&](const std::string& word) { return fit.contains(word); });
  if (all_fit && words.size() == name.fused.size() && words.size() > 1) return true;
  diagnostics.error("checkpoint.transform", name.span,
                    fmt::format("{} holds several projections of one input: fused must list at least two of \"{}\", "
                                "each once, in the order of their rows",
                                line, fmt::join(fit, "\", \"")));
  return false;
}

/// Of each kind of layer that has one of these parts: the projections of their input.
std::vector<const ProjectionGroup*> groups_of(const std::string& line, const TensorName& name,
                                              const Declarations& declared) {
  const std::string prefix = line.substr(0, line.rfind('.') + 1);
  std::vector<const ProjectionGroup*> result;
  for (const ProjectionGroup& group : declared.groups()) {
    const auto is_fused = [&](const Projection& one) {
      return std::find(name.fused.begin(), name.fused.end(), one.word) != name.fused.end();
    };
    const std::vector<Projection>& all = group.projections;
    if (group.prefix == prefix && std::any_of(all.begin(), all.end(), is_fused)) result.push_back(&group);
  }
  return result;
}

const Projection* find_projection(const ProjectionGroup& group, const std::string& word) {
  for (const Projection& one : group.projections) {
    if (one.word == word) return &one;
  }
  return nullptr;
}

/// Rows of the halves of heads that alternate or stand apart: of a part that has heads, of an even number of rows each.
void halves_alternate(const std::string& line, const TensorName& name, const Declarations& declared,
                      Diagnostics& diagnostics) {
  const std::string word = line.substr(line.rfind('.') + 1);
  for (const ProjectionGroup& group : declared.groups()) {
    const Projection* one = group.prefix + word == line ? find_projection(group, word) : nullptr;
    if (one == nullptr) continue;
    const std::int64_t rows = declared.contract().axes[one->rows].size;
    if (name.fused.empty() && one->heads > 0 && rows % (2 * one->heads) == 0) return;
  }
  diagnostics.error(
      "checkpoint.interleaved", name.span,
      fmt::format("{} has no heads of an even number of rows, whose halves interleaved = \"{}\" moves; leave it out",
                  line, name.interleaved));
}

/// Of a tensor of all experts: where each has its parts is said.
void experts_have_their_parts(const std::string& line, const TensorName& name, const Declarations& declared,
                              Diagnostics& diagnostics) {
  if (name.name.find("{j}") != std::string::npos || name.interleaved == "expert" || name.interleaved == "row") return;
  if (!is_of_experts(line, name, declared)) return;
  diagnostics.error("checkpoint.interleaved", name.span,
                    fmt::format("\"{}\" holds {} of all experts: interleaved = \"expert\" says that each has them one "
                                "after another, \"row\" that their rows alternate",
                                name.name, fmt::join(name.fused, " and ")));
}

/// Of a tensor that holds a part whose heads' matrices stand in it the other way round: they are lines of each head.
void turned_parts_are_by_head(const std::string& line, const TensorName& name, const Declarations& declared,
                              Diagnostics& diagnostics) {
  for (const ProjectionGroup* group : groups_of(line, name, declared)) {
    const bool has_turned = std::ranges::any_of(name.fused, [&](const std::string& word) {
      const Projection* one = find_projection(*group, word);
      return one != nullptr && one->turned;
    });
    if (!has_turned || (name.interleaved == "head" && !name.transposed)) continue;
    diagnostics.error("checkpoint.interleaved", name.span,
                      fmt::format("\"{}\" holds {}, which are read where each head has its rows of them in turn: "
                                  "interleaved = \"head\", and not transposed",
                                  name.name, fmt::join(name.fused, " and ")));
    return;
  }
}

/// Rows that alternate: of parts that have as many pieces each.
void interleaved_parts_have_pieces(const std::string& line, const TensorName& name, const Declarations& declared,
                                   Diagnostics& diagnostics) {
  const auto error = [&](const std::string& message) {
    diagnostics.error("checkpoint.interleaved", name.span, message);
  };
  const Interleaving* interleaving = find_interleaving(name.interleaved);
  if (interleaving == nullptr) {
    std::vector<std::string> known;
    for (const Interleaving& one : interleavings()) known.push_back(fmt::format("\"{}\" ({})", one.name, one.meaning));
    return error(fmt::format("interleaved is \"{}\"; it may be {}", name.interleaved, one_of(known)));
  }
  if (interleaving->of_one) return halves_alternate(line, name, declared, diagnostics);
  if (name.fused.empty()) {
    return error(fmt::format("{} has no parts that alternate: interleaved belongs to a tensor of several", line));
  }
  for (const ProjectionGroup* group : groups_of(line, name, declared)) {
    std::set<std::int64_t> pieces;
    for (const std::string& word : name.fused) {
      const Projection* one = find_projection(*group, word);
      if (one == nullptr) continue;
      pieces.insert(interleaving->pieces(rows_of(*one, declared.contract().axes)));
      if (pieces.contains(0)) {
        return error(
            fmt::format("{} does not alternate by {}: {} has no {}s", line, name.interleaved, word, name.interleaved));
      }
    }
    if (pieces.size() > 1) {
      return error(fmt::format("{} alternates by {}, and its parts have {} {}s", line, name.interleaved,
                               fmt::join(pieces, " and "), name.interleaved));
    }
  }
}

/// Every row of a tensor is read: a layer that has one part of a tensor has the others.
void fused_parts_are_there(const std::string& line, const TensorName& name, const Declarations& declared,
                           Diagnostics& diagnostics) {
  for (const ProjectionGroup* group : groups_of(line, name, declared)) {
    for (const std::string& word : name.fused) {
      if (find_projection(*group, word) != nullptr) continue;
      diagnostics.error("checkpoint.transform", name.span,
                        fmt::format("layers of the kind {} have no {}{}: nothing would read its rows of \"{}\"",
                                    group->kind, group->prefix, word, name.name));
      return;
    }
  }
}

/// One bias for all parts of a tensor, or for none of them.
void fused_biases_agree(const CheckpointSection& checkpoint, const Declarations& declared, Diagnostics& diagnostics) {
  for (const auto& [line, name] : checkpoint.tensors) {
    for (const ProjectionGroup* group : groups_of(line, name, declared)) {
      const auto count = std::count_if(name.fused.begin(), name.fused.end(), [&](const std::string& word) {
        const Projection* one = find_projection(*group, word);
        return one != nullptr && one->bias;
      });
      if (count == 0 || count == static_cast<std::ptrdiff_t>(name.fused.size())) continue;
      diagnostics.error(
          group->block + ".bias_fused", group->bias_span,
          fmt::format("the checkpoint keeps {} in one tensor, so that all of them have a bias or none has",
                      fmt::join(name.fused, ", ")));
    }
  }
}

void transforms_apply(const CheckpointSection& checkpoint, const Declarations& declared, Diagnostics& diagnostics) {
  for (const auto& [part, name] : checkpoint.tensors) {
    if (!name.given) continue;
    transposed_is_a_projection(part, name, diagnostics);
    if (!name.interleaved.empty()) interleaved_parts_have_pieces(part, name, declared, diagnostics);
    if (name.fused.empty()) continue;
    if (fused_parts_fit(part, name, declared, diagnostics)) {
      fused_parts_are_there(part, name, declared, diagnostics);
      experts_have_their_parts(part, name, declared, diagnostics);
      turned_parts_are_by_head(part, name, declared, diagnostics);
    }
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
  counted_tensors_have_groups(*spec.checkpoint, declared, diagnostics);
  names_are_distinct(spec, declared, diagnostics);
  transforms_apply(*spec.checkpoint, declared, diagnostics);
  fused_biases_agree(*spec.checkpoint, declared, diagnostics);
  parts_are_said_once(*spec.checkpoint, diagnostics);
  check_dtype_rules(spec, declared, diagnostics);
  names_are_printable(*spec.checkpoint, diagnostics);
  ignored_tensors_are_unused(spec, needed, diagnostics);
  prefix_is_not_empty(*spec.checkpoint, diagnostics);
}

}  // namespace monomorph::generator
