// What specs compute: the same operations with the same numbers mean the same model, however a spec says them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/contract/contract.hpp"
#include "generator/graph/graph.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

struct Meaning {
  Contract contract;
  Graph graph;
};
/// Whether both compute the same of the same weights.
bool same(const Meaning& a, const Meaning& b);

/// Of one spec with changes. Families of the hub ask for the same changes again and again; each is worked out once.
class Meanings {
 public:
  Meanings(const Spec& spec, std::vector<Override> overrides)
      : source_(spec.source), overrides_(std::move(overrides)) {}

  /// Of the spec with these changes; nothing where a rule is broken.
  const std::optional<Meaning>& of(const std::vector<Override>& changes);

 private:
  std::optional<Meaning> work_out(const std::vector<Override>& changes) const;

  std::shared_ptr<const Source> source_;
  std::vector<Override> overrides_;
  std::map<std::string, std::optional<Meaning>> known_;  ///< by the changes
};

}  // namespace monomorph::generator
