#include "tests/altered_inputs/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace monomorph::tests {
namespace {

using Counts = std::array<int, fate_names.size()>;

int& count_of(Counts& counts, Fate fate) { return counts[static_cast<std::size_t>(fate)]; }

Counts counts_of(const std::vector<TableLine>& lines) {
  Counts counts = {};
  for (const TableLine& line : lines) {
    for (const Outcome& outcome : line.outcomes) ++count_of(counts, outcome.fate);
  }
  return counts;
}

std::string row_of(const std::string& name, const Counts& counts, const std::string& last) {
  return fmt::format("| {} | {} | {} | {} |\n", name, std::accumulate(counts.begin(), counts.end(), 0),
                     fmt::join(counts, " | "), last);
}

std::string header_of(const std::string& last) {
  std::string rule = "| ---";
  for (std::size_t i = 0; i <= fate_names.size(); ++i) rule += " | ---:";
  return fmt::format("| | altered | {} | {} |\n{} | --- |\n", fmt::join(fate_names, " | "), last, rule);
}

std::string sum_row(const std::string& name, Counts counts) {
  const int before =
      count_of(counts, Fate::contract) + count_of(counts, Fate::tensors) + count_of(counts, Fate::comparison);
  const int late = count_of(counts, Fate::goldens) + count_of(counts, Fate::unseen);
  return row_of(name, counts, fmt::format("{:.2f}%", 100.0 * before / (before + late)));
}

/// Of each key of the configs that something is done to unnoticed: to how many, or in every way.
std::string unnoticed(const std::vector<TableLine>& configs) {
  std::map<std::string, std::map<std::string, int>> passed;
  std::map<std::string, int> refused;
  for (const TableLine& line : configs) {
    for (const auto& [key, what, fate] : line.outcomes) {
      fate == Fate::same || fate == Fate::use ? ++passed[key][what] : ++refused[key];
    }
  }
  std::vector<std::string> always, dropped;
  std::string others;
  for (const auto& [key, ways] : passed) {
    std::vector<std::string> words;
    for (const auto& [what, times] : ways) words.push_back(fmt::format("{} {}", what, times));
    if (!refused.contains(key)) {
      always.push_back(key);
    } else if (ways.size() == 1 && ways.contains("dropped")) {
      dropped.push_back(key);
    } else {
      others += fmt::format("| `{}` | {} |\n", key, fmt::join(words, ", "));
    }
  }
  return fmt::format(
      "Whatever is done to them: `{}`.\n\nDropped from a config that says the default: `{}`.\n\n"
      "| key | how often what passes |\n| --- | --- |\n{}",
      fmt::join(always, "`, `"), fmt::join(dropped, "`, `"), others);
}

}  // namespace

std::string TableLine::text() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> left;
  for (const auto& [key, what, fate] : outcomes) {
    if (fate < Fate::inert) continue;
    if (left.empty() || left.back().first != key) left.push_back({key, {}});
    left.back().second.push_back(
        fate == Fate::goldens ? what : fmt::format("{}: {}", what, fate_names[static_cast<std::size_t>(fate)]));
  }
  std::vector<std::string> keys;
  for (const auto& [key, what] : left) keys.push_back(fmt::format("`{}` ({})", key, fmt::join(what, ", ")));
  return row_of(name, counts_of({*this}), fmt::format("{}", fmt::join(keys, ", ")));
}

std::string table_of(const std::vector<TableLine>& configs, const std::vector<TableLine>& specs) {
  const Counts of_configs = counts_of(configs), of_specs = counts_of(specs);
  Counts all = {};
  std::transform(of_configs.begin(), of_configs.end(), of_specs.begin(), all.begin(), std::plus<>());
  std::string text =
      "# Altered configs and specs, and who notices\n\n[README.md](README.md) tells what the columns are.\n\n";
  text += header_of("noticed before anything runs") + sum_row("configs", of_configs) + sum_row("specs", of_specs) +
          sum_row("all", all);
  text += "\n## Configs\n\n" + header_of("left to goldens");
  for (const TableLine& line : configs) text += line.text();
  text += "\n## Specs\n\n" + header_of("left to goldens");
  for (const TableLine& line : specs) text += line.text();
  return text + "\n## Keys of configs, of which something passes\n\n" + unnoticed(configs);
}

}  // namespace monomorph::tests
