#include "generator/contract/names.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace monomorph::generator {
namespace {

std::string qualified(const NamedUse& use) {
  if (use.users.empty()) return use.word;
  if (use.users.size() == 1) return use.users[0] + "_" + use.word;
  if (use.users.size() == 2) return use.users[0] + "_" + use.users[1] + "_" + use.word;
  return fmt::format("{}_and_{}_more_{}", use.users[0], use.users.size() - 1, use.word);
}

}  // namespace

std::vector<std::string> qualified_names(const std::vector<NamedUse>& uses) {
  std::map<std::string, int> words;
  for (const NamedUse& use : uses) ++words[use.word];
  std::vector<std::string> names(uses.size());
  std::set<std::string> taken;
  // Plain words first: a qualified name makes way for them.
  for (const bool plain : {true, false}) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if ((words[uses[i].word] == 1) != plain) continue;
      const std::string name = plain ? uses[i].word : qualified(uses[i]);
      names[i] = name;
      for (int number = 2; !taken.insert(names[i]).second; ++number) names[i] = fmt::format("{}_{}", name, number);
    }
  }
  return names;
}

}  // namespace monomorph::generator
