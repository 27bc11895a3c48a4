#include "generator/contract/classes.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "generator/contract/parts.hpp"

namespace monomorph::generator {

Spec cut_into_classes(const Spec& spec) {
  std::vector<DtypePattern> patterns;
  for (const auto& [text, dtype] : spec.checkpoint.dtypes) {
    patterns.push_back(parse_dtype_pattern(text));
    if (patterns.back().layers.empty()) patterns.pop_back();  // it holds in all layers
  }
  if (patterns.empty()) return spec;

  Spec cut = spec;
  cut.kinds.clear();
  std::set<std::string> taken;
  for (const LayerKind& kind : spec.kinds) taken.insert(kind.identifier);
  std::map<std::pair<std::size_t, std::vector<bool>>, std::size_t> classes;  // by kind, and the patterns that hold
  std::vector<int> of_kind(spec.kinds.size(), 0);
  for (std::size_t layer = 0; layer < spec.layer_kinds.size(); ++layer) {
    const std::size_t kind = spec.layer_kinds[layer];
    std::vector<bool> held;
    for (const DtypePattern& pattern : patterns) held.push_back(pattern.holds(static_cast<std::int64_t>(layer)));
    const auto [found, is_new] = classes.emplace(std::pair(kind, held), cut.kinds.size());
    cut.layer_kinds[layer] = found->second;
    if (!is_new) continue;
    cut.kinds.push_back(spec.kinds[kind]);
    if (++of_kind[kind] == 1) continue;
    std::string& identifier = cut.kinds.back().identifier;
    for (int number = of_kind[kind]; !taken.insert(identifier).second; ++number) {
      identifier = fmt::format("{}_{}", spec.kinds[kind].identifier, number);
    }
  }
  return cut;
}

}  // namespace monomorph::generator
