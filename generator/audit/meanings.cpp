#include "generator/audit/meanings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/contract/contract.hpp"
#include "generator/graph/graph.hpp"

namespace monomorph::generator {

const std::string& Meanings::of(const std::vector<Override>& changes) {
  std::string key;
  for (const Override& change : changes) {
    key += fmt::format("{}{}{}\n", change.path, change.value ? "=" : "", change.value.value_or(""));
  }
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(key, work_out(changes)).first->second;
}

std::string Meanings::work_out(const std::vector<Override>& changes) const {
  std::vector<Override> all = overrides_;
  all.insert(all.end(), changes.begin(), changes.end());
  Diagnostics found, none;
  const std::optional<Spec> spec = read_spec_leniently(source_, all, found);
  const bool reads = std::all_of(found.all().begin(), found.all().end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity != Severity::error || diagnostic.rule == "layers.kind_unused";
  });
  const auto contract = spec && reads ? check_contract(*spec, none) : std::nullopt;
  if (!contract) return "";
  std::string text = dump_graph(build_graph(*contract), *contract);
  for (const TableContract& table : contract->tables) {
    text += fmt::format("{} {}\n", fmt::join(table.frequencies, " "), table.factor);
  }
  return text;
}

}  // namespace monomorph::generator
