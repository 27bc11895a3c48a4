#include "generator/contract/parts.hpp"

#include <algorithm>

#include "generator/spec/checkpoint_names.hpp"

namespace monomorph::generator {
namespace {

void add(std::vector<NeededPart>& parts, const NeededPart& part) {
  for (NeededPart& known : parts) {
    if (known.part != part.part) continue;
    known.weight |= part.weight;
    known.bias |= part.bias;
    return;
  }
  parts.push_back(part);
}

void add_norms(std::vector<NeededPart>& parts, const std::string& prefix, const SubBlockNorms& norms, bool bias,
               bool before) {
  if (before && norms.input_norm.value) add(parts, {prefix + "input_norm", true, bias});
  if (!before && norms.output_norm.value) add(parts, {prefix + "output_norm", true, bias});
  if (!before && norms.residual_norm.value) add(parts, {prefix + "residual_norm", true, bias});
}

/// A matrix, or the tensor in which the checkpoint keeps it beside others.
void add_matrix(std::vector<NeededPart>& parts, const CheckpointSection& checkpoint, const std::string& part,
                bool bias) {
  const auto* line = fused_line(checkpoint, part);
  add(parts, {line != nullptr ? line->first : part, true, bias});
}

void add_attention(std::vector<NeededPart>& parts, const Spec& spec, const LayerKind& kind) {
  const std::string prefix = "layers.{i}.attention.";
  const Biases& bias = kind.attention.bias.value;
  add_norms(parts, prefix, kind.attention.norms, kind.norm.bias.value, true);
  for (const char* word : {"q", "k", "v"}) add_matrix(parts, spec.checkpoint, prefix + word, bias.has(word));
  if (kind.attention.qk_norm.value == "head") {
    add(parts, {prefix + "q_norm", true, false});
    add(parts, {prefix + "k_norm", true, false});
  }
  add_matrix(parts, spec.checkpoint, prefix + "o", bias.has("o"));
  add_norms(parts, prefix, kind.attention.norms, kind.norm.bias.value, false);
}

void add_mlp(std::vector<NeededPart>& parts, const Spec& spec, const LayerKind& kind) {
  const std::string prefix = "layers.{i}.mlp.";
  const Biases& bias = kind.mlp.bias.value;
  add_norms(parts, prefix, kind.mlp.norms, kind.norm.bias.value, true);
  for (const char* word : {"gate", "up", "down"}) {
    const bool is_there = std::string(word) != "gate" || kind.mlp.type.value == "gated";
    if (is_there) add_matrix(parts, spec.checkpoint, prefix + word, bias.has(word));
  }
  add_norms(parts, prefix, kind.mlp.norms, kind.norm.bias.value, false);
}

}  // namespace

std::vector<NeededPart> needed_parts(const Spec& spec) {
  std::vector<NeededPart> parts;
  add(parts, {"embedding.tokens", true, false});
  if (spec.position.type.value == "learned") add(parts, {"embedding.positions", true, false});
  for (const LayerKind& kind : spec.kinds) {
    for (const std::string& step : kind.steps.value) {
      if (step == "attention") add_attention(parts, spec, kind);
      if (step == "mlp") add_mlp(parts, spec, kind);
    }
  }
  add(parts, {"final_norm", true, spec.norm.bias.value});
  if (!spec.lm_head.tie_word_embeddings.value) add(parts, {"lm_head", true, false});
  return parts;
}

const std::pair<const std::string, TensorName>* fused_line(const CheckpointSection& checkpoint,
                                                           const std::string& part) {
  for (const auto& line : checkpoint.tensors) {
    if (line.second.fused.empty()) continue;
    const std::vector<std::string> parts = parts_of_line(line.first, line.second.fused);
    if (std::find(parts.begin(), parts.end(), part) != parts.end()) return &line;
  }
  return nullptr;
}

std::optional<std::string> tensor_name(const CheckpointSection& checkpoint, const std::string& part, bool bias) {
  if (bias) {
    const auto own = checkpoint.tensors.find(part + ".bias");
    if (own != checkpoint.tensors.end()) return own->second.name + (own->second.exact ? "" : ".bias");
  }
  const auto found = checkpoint.tensors.find(part);
  if (found == checkpoint.tensors.end()) return std::nullopt;
  if (!found->second.exact) return found->second.name + (bias ? ".bias" : ".weight");
  return bias ? std::nullopt : std::optional(found->second.name);
}

bool matches(const std::string& pattern, const std::string& text) {
  std::size_t p = 0, t = 0, star = std::string::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string dtype_name(const CheckpointSection& checkpoint, const std::string& part, bool bias) {
  std::string result = checkpoint.dtype.value;
  for (const auto& [pattern, dtype] : checkpoint.dtypes) {
    if (matches(pattern, part) || (bias && matches(pattern, part + ".bias"))) result = dtype.value;
  }
  return result;
}

}  // namespace monomorph::generator
