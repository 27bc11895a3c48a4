#include "generator/contract/parts.hpp"

#include <algorithm>
#include <charconv>

#include "generator/spec/checkpoint_names.hpp"
#include "generator/spec/checkpoint_section.hpp"

namespace monomorph::generator {

std::string without_bias(const std::string& part) {
  return part.ends_with(".bias") ? part.substr(0, part.size() - 5) : part;
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

std::string filled(std::string name, std::string_view hole, std::string_view text) {
  for (std::size_t at = name.find(hole); at != std::string::npos; at = name.find(hole, at + text.size())) {
    name.replace(at, hole.size(), text);
  }
  return name;
}

bool is_of_each_layer(const std::string& name) {
  return name.find("{i}") != std::string::npos || name.find("{k}") != std::string::npos;
}

bool is_of_sets(const std::string& name) {
  return name.find("{s}") != std::string::npos || name.find("{k}") != std::string::npos;
}

std::string with_any_number(const std::string& name) {
  return filled(filled(filled(name, "{j}", "{i}"), "{k}", "{i}"), "{s}", "{i}");
}

std::string with_number(const std::string& name, const std::string& number) { return filled(name, "{j}", number); }

std::string layer_ranges(std::vector<std::int64_t> layers) {
  std::ranges::sort(layers);
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < layers.size(); begin = end) {
    for (end = begin + 1; end < layers.size() && layers[end] == layers[end - 1] + 1;) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", layers[begin]);
    if (end - begin > 1) text += fmt::format("-{}", layers[end - 1]);
  }
  return text;
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

bool DtypePattern::holds(std::int64_t layer) const {
  return layers.empty() ||
         std::ranges::any_of(layers, [&](const auto& range) { return range.first <= layer && layer <= range.second; });
}

DtypePattern parse_dtype_pattern(const std::string& pattern) {
  const std::size_t stack = pattern.starts_with(section_prefix(encoder_stack)) ? encoder_stack : own_stack;
  const std::string prefix = section_prefix(stack) + std::string("layers.{");
  const std::size_t end = pattern.find('}');
  if (!pattern.starts_with(prefix) || end == std::string::npos) return {pattern, {}};
  std::vector<std::pair<std::int64_t, std::int64_t>> layers;
  const char* at = pattern.data() + prefix.size();
  const char* const last = pattern.data() + end;
  while (at < last) {
    std::pair<std::int64_t, std::int64_t> range;
    auto read = std::from_chars(at, last, range.first);
    if (read.ec != std::errc()) return {pattern, {}};
    range.second = range.first;
    if (read.ptr < last && *read.ptr == '-') read = std::from_chars(read.ptr + 1, last, range.second);
    if (read.ec != std::errc() || range.second < range.first) return {pattern, {}};
    layers.push_back(range);
    at = read.ptr;
    if (at < last && *at++ != ',') return {pattern, {}};
  }
  if (layers.empty()) return {pattern, {}};
  return {prefix + "i" + pattern.substr(end), std::move(layers), stack};
}

const Field<std::string>& dtype_field(const CheckpointSection& checkpoint, const std::string& part, bool bias,
                                      std::int64_t layer) {
  const Field<std::string>* result = &checkpoint.dtype;
  for (const auto& [text, dtype] : checkpoint.dtypes) {
    const DtypePattern pattern = parse_dtype_pattern(text);
    const bool matched = matches(pattern.parts, part) || (bias && matches(pattern.parts, part + ".bias"));
    if (matched && pattern.holds(layer)) result = &dtype;
  }
  return *result;
}

}  // namespace monomorph::generator
