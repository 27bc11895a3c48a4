#include "generator/spec/sources.hpp"

#include <fmt/format.h>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {
namespace {

/// The kind, called `name` in the pattern, of the last layer before this one that was of it; of none, the first kind
/// that was cut from it, which the rules then find to be too late.
std::string last_before(const CutKinds& cut, std::size_t layer, const std::string& name) {
  for (std::size_t earlier = layer; earlier-- > 0;) {
    if (cut.cut_from.at(cut.sequence[earlier]) == name) return cut.sequence[earlier];
  }
  for (const std::string& kind : cut.sequence) {
    if (cut.cut_from.at(kind) == name) return kind;
  }
  return name;
}

/// What each sub-block of a layer of this kind reads of, in order.
std::vector<std::string> sources_of(const CutKinds& cut, std::size_t layer, const LayerKind& kind) {
  std::vector<std::string> sources;
  for (const Block* block : kind.blocks()) {
    const std::string name = kind_read_by(*block);
    if (!name.empty()) sources.push_back(last_before(cut, layer, name));
  }
  return sources;
}

/// The same kind by another name, which reads of these.
LayerKind reading(LayerKind kind, const std::string& name, const std::vector<std::string>& sources) {
  kind.name = name;
  kind.identifier = identifier_of(name);
  std::size_t next = 0;
  for (Step& step : kind.steps) {
    for (Block& block : step.blocks) {
      if (!kind_read_by(block).empty()) block.type->reads_kind(block.section).value = sources[next++];
    }
  }
  return kind;
}

}  // namespace

std::string kind_read_by(const Block& block) {
  // Fields are found to be read and to be written by one function.
  return block.type->reads_kind != nullptr ? block.type->reads_kind(const_cast<std::any&>(block.section)).value : "";
}

void resolve_sources(CutKinds& cut, std::map<std::string, LayerKind>& kinds) {
  const std::map<std::string, LayerKind> given = kinds;
  std::map<std::string, int> counts;                                              // by kind, the names that it has now
  std::map<std::pair<std::string, std::vector<std::string>>, std::string> names;  // by kind and what it reads of
  for (std::size_t layer = 0; layer < cut.sequence.size(); ++layer) {
    const std::string kind = cut.sequence[layer];
    const std::vector<std::string> sources = sources_of(cut, layer, given.at(kind));
    if (sources.empty()) continue;
    const auto [name, is_new] = names.try_emplace({kind, sources}, kind);
    if (is_new) {
      for (int number = ++counts[kind]; number > 1 && kinds.contains(name->second); ++number)
        name->second = fmt::format("{}_{}", kind, number);
      kinds.insert_or_assign(name->second, reading(given.at(kind), name->second, sources));
      cut.cut_from.emplace(name->second, cut.cut_from.at(kind));
      cut.layer.emplace(name->second, layer);
    }
    cut.sequence[layer] = name->second;
  }
}

}  // namespace monomorph::generator
