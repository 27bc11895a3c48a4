// Rules on tensors that hold more than a part, or less: several, in an order, the other way round, or one of each
// group.
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

void transposed_is_a_projection(const std::string& part, const TensorName& name, Diagnostics& diagnostics) {
  const bool is_vector = part.ends_with("norm") || part.ends_with(".bias");
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
  if (fit.empty() || line.ends_with(".bias") || is_part(line, declared)) {
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
  diagnostics.error(
      "checkpoint.transform", name.span,
      fmt::format("{} holds several parts that may share a tensor: fused must list at least two of \"{}\", "
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

}  // namespace

void check_tensor_rules(const CheckpointSection& checkpoint, const Declarations& declared, Diagnostics& diagnostics) {
  counted_tensors_have_groups(checkpoint, declared, diagnostics);
  transforms_apply(checkpoint, declared, diagnostics);
  fused_biases_agree(checkpoint, declared, diagnostics);
  parts_are_said_once(checkpoint, diagnostics);
}

}  // namespace monomorph::generator
