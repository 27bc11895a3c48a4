// What specs compute: the same operations with the same numbers mean the same model, however a spec says them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// Of one spec with changes. Families of the hub ask for the same changes again and again; each is worked out once.
class Meanings {
 public:
  Meanings(const Spec& spec, const std::vector<Override>& overrides) : source_(spec.source), overrides_(overrides) {}

  /// The graph and the angles of the spec with these changes, as text; empty where a rule is broken.
  const std::string& of(const std::vector<Override>& changes);

 private:
  std::string work_out(const std::vector<Override>& changes) const;

  std::shared_ptr<const Source> source_;
  const std::vector<Override>& overrides_;
  std::map<std::string, std::string> known_;  ///< by the changes
};

}  // namespace monomorph::generator
