#include "generator/contract/classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "generator/contract/parts.hpp"
#include "generator/spec/block_type.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/sources.hpp"

namespace monomorph::generator {
namespace {

/// The classes of the layers that a layer of this kind reads something of, where `earlier` are those before it.
std::vector<std::size_t> sources(const LayerKind& kind, const std::vector<LayerKind>& classes,
                                 std::span<const std::size_t> earlier) {
  std::vector<std::size_t> result;
  for (const Block* block : kind.blocks()) {
    const std::string name = kind_read_by(*block);
    const auto is_read = [&](std::size_t index) { return classes[index].name == name; };
    const auto last = std::find_if(earlier.rbegin(), earlier.rend(), is_read);
    if (last != earlier.rend()) result.push_back(*last);
  }
  return result;
}

}  // namespace

Spec cut_into_classes(const Spec& spec) {
  std::vector<DtypePattern> patterns;
  for (const auto& [text, dtype] : spec.checkpoint->dtypes) {
    patterns.push_back(parse_dtype_pattern(text));
    if (patterns.back().layers.empty()) patterns.pop_back();  // it holds in all layers
  }
  if (patterns.empty()) return spec;

  Spec cut = spec;
  cut.kinds.clear();
  std::set<std::string> taken;
  for (const LayerKind& kind : spec.kinds) taken.insert(kind.identifier);
  // By kind, the patterns that hold, and the classes that are read.
  std::map<std::tuple<std::size_t, std::vector<bool>, std::vector<std::size_t>>, std::size_t> classes;
  std::vector<int> of_kind(spec.kinds.size(), 0);
  for (std::size_t layer = 0; layer < spec.layer_kinds.size(); ++layer) {
    const std::size_t kind = spec.layer_kinds[layer];
    std::vector<bool> held;
    for (const DtypePattern& pattern : patterns) held.push_back(pattern.holds(static_cast<std::int64_t>(layer)));
    const std::vector<std::size_t> read = sources(spec.kinds[kind], cut.kinds, std::span(cut.layer_kinds).first(layer));
    const auto [found, is_new] = classes.emplace(std::tuple(kind, held, read), cut.kinds.size());
    cut.layer_kinds[layer] = found->second;
    if (!is_new) continue;
    cut.kinds.push_back(spec.kinds[kind]);
    if (++of_kind[kind] == 1) continue;
    std::string& identifier = cut.kinds.back().identifier;
    for (int number = of_kind[kind]; !taken.insert(identifier).second; ++number) {
      identifier = fmt::format("{}_{}", spec.kinds[kind].identifier, number);
    }
  }
  if (!cut.encoder) return cut;
  std::map<std::size_t, std::size_t> moved;
  for (std::size_t& kind : cut.encoder->layer_kinds) {
    const auto [found, is_new] = moved.emplace(kind, cut.kinds.size());
    if (is_new) cut.kinds.push_back(spec.kinds[kind]);
    kind = found->second;
  }
  return cut;
}

}  // namespace monomorph::generator
