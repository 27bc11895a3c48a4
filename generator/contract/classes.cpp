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

/// Kinds that a spec is cut into.
class Cutter {
 public:
  explicit Cutter(const Spec& spec) : spec_(spec), of_kind_(spec.kinds.size(), 0) {
    for (const LayerKind& kind : spec.kinds) taken_.insert(kind.identifier);
  }

  /// Layers of a stack, each of its kind, become each of its class: `patterns` are those of this stack.
  void cut(std::vector<std::size_t>& layer_kinds, const std::vector<DtypePattern>& patterns) {
    // By kind, the patterns that hold, and the classes that are read.
    std::map<std::tuple<std::size_t, std::vector<bool>, std::vector<std::size_t>>, std::size_t> classes;
    for (std::size_t layer = 0; layer < layer_kinds.size(); ++layer) {
      const std::size_t kind = layer_kinds[layer];
      std::vector<bool> held;
      for (const DtypePattern& pattern : patterns) held.push_back(pattern.holds(static_cast<std::int64_t>(layer)));
      const std::vector<std::size_t> read = sources(spec_.kinds[kind], kinds_, std::span(layer_kinds).first(layer));
      const auto [found, is_new] = classes.emplace(std::tuple(kind, held, read), kinds_.size());
      layer_kinds[layer] = found->second;
      if (is_new) add(kind);
    }
  }
  std::vector<LayerKind> take_kinds() { return std::move(kinds_); }

 private:
  void add(std::size_t kind) {
    kinds_.push_back(spec_.kinds[kind]);
    if (++of_kind_[kind] == 1) return;
    std::string& identifier = kinds_.back().identifier;
    for (int number = of_kind_[kind]; !taken_.insert(identifier).second; ++number) {
      identifier = fmt::format("{}_{}", spec_.kinds[kind].identifier, number);
    }
  }

  const Spec& spec_;
  std::vector<LayerKind> kinds_;
  std::set<std::string> taken_;  ///< identifiers
  std::vector<int> of_kind_;     ///< classes of each kind
};

}  // namespace

Spec cut_into_classes(const Spec& spec) {
  std::vector<DtypePattern> patterns[2];  // by stack
  for (const auto& [text, dtype] : spec.checkpoint->dtypes) {
    const DtypePattern pattern = parse_dtype_pattern(text);
    if (!pattern.layers.empty()) patterns[pattern.stack].push_back(pattern);  // others hold in all layers
  }
  if (patterns[own_stack].empty() && patterns[encoder_stack].empty()) return spec;
  Spec cut = spec;
  Cutter cutter(spec);
  cutter.cut(cut.layer_kinds, patterns[own_stack]);
  if (cut.encoder) cutter.cut(cut.encoder->layer_kinds, patterns[encoder_stack]);
  cut.kinds = cutter.take_kinds();
  return cut;
}

}  // namespace monomorph::generator
