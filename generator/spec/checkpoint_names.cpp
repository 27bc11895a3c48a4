#include "generator/spec/checkpoint_names.hpp"

#include <algorithm>

#include "runtime/dtype.hpp"

namespace monomorph::generator {
const std::vector<Interleaving>& interleavings() {
  static const std::vector<Interleaving> table = {
      {"head", "of each head, its rows of the parts in turn", [](const PartRows& part) { return part.heads; }},
      {"kv_group", "of each key head, its rows with those of all query heads that it serves",
       [](const PartRows& part) { return part.kv_heads; }},
      {"quarter", "of each quarter of the heads, its rows of the parts in turn",
       [](const PartRows& part) { return part.heads % 4 == 0 ? std::min<std::int64_t>(part.heads, 4) : 0; }},
      {"expert", "of each expert, its rows of the parts in turn", [](const PartRows& part) { return part.experts; }},
      {"row", "a row of each part", [](const PartRows& part) { return part.rows; }},
      {"halves",
       "of each head of one part, the rows of its first and of its second half, as GGUF files of Llama have q and k",
       [](const PartRows& part) { return part.heads; }, true},
      {"half_heads", "of one part, the first halves of all heads before the second ones, as DiffLlama has v",
       [](const PartRows& part) { return part.heads; }, true, true},
  };
  return table;
}

const Interleaving* find_interleaving(const std::string& name) {
  for (const Interleaving& one : interleavings()) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::vector<std::string> interleaving_names() {
  std::vector<std::string> names;
  for (const Interleaving& one : interleavings()) names.push_back(one.name);
  return names;
}

std::vector<std::string> parts_of_line(const std::string& line, const std::vector<std::string>& fused) {
  if (fused.empty()) return {line};
  std::vector<std::string> parts;
  for (const std::string& word : fused) parts.push_back(line.substr(0, line.rfind('.') + 1) + word);
  return parts;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DtypeRow& row : dtype_rows) names.emplace_back(row.name);
  return names;
}

}  // namespace monomorph::generator
