#include "runtime/formats/checkpoint_names.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/formats/sentence_transformers.hpp"

namespace monomorph {
namespace {

constexpr std::string_view hole = "{i}";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string with_layer(std::string_view pattern, const LayerPlace& place) {
  std::string name(pattern);
  for (const auto& [of_place, number] : {std::pair(hole, place.layer), {"{k}", place.number}, {"{s}", place.set}}) {
    for (std::size_t at = name.find(of_place); at != std::string::npos; at = name.find(of_place, at)) {
      name.replace(at, of_place.size(), std::to_string(number));
    }
  }
  return name;
}

std::string prefixed(const std::string& prefix, const std::string& name) {
  return is_of_dense_module(name) ? name : prefix + name;
}

std::optional<std::string> without_prefix(const std::string& prefix, const std::string& name) {
  if (is_of_dense_module(name)) return name;
  return name.starts_with(prefix) ? std::optional(name.substr(prefix.size())) : std::nullopt;
}

bool is_named(std::string_view name, std::string_view pattern) {
  for (std::size_t at = pattern.find(hole); at != std::string_view::npos; at = pattern.find(hole)) {
    if (name.substr(0, at) != pattern.substr(0, at)) return false;
    name.remove_prefix(at);
    pattern.remove_prefix(at + hole.size());
    if (name.empty() || !is_digit(name.front())) return false;
    while (!name.empty() && is_digit(name.front())) name.remove_prefix(1);
  }
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

std::string choose_prefix(std::span<const std::string> prefixes, std::span<const std::string> names,
                          const Checkpoint& checkpoint) {
  std::string best = prefixes.empty() ? "" : prefixes.front();
  std::int64_t most = 0;
  for (const std::string& prefix : prefixes) {
    const std::int64_t found = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return checkpoint.find(prefixed(prefix, name)) != nullptr;
    });
    if (found > most) {
      most = found;
      best = prefix;
    }
  }
  return best;
}

bool same_but_for_ones(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
  std::erase(a, 1);
  std::erase(b, 1);
  return a == b;
}

bool same_tensor(const CheckpointTensor& a, const CheckpointTensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.data.size() == b.data.size() &&
         std::memcmp(a.data.data(), b.data.data(), a.data.size()) == 0 && std::ranges::equal(a.scales, b.scales);
}

}  // namespace monomorph
