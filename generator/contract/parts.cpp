#include "generator/contract/parts.hpp"

#include <algorithm>

#include "generator/spec/checkpoint_names.hpp"

namespace monomorph::generator {

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
