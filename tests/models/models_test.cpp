// The specs of models/: accepted, of exactly the size that transformers counts or a paper says, the same model that
// import makes of the hub's config.json, and dispatched as dispatches.txt says. MONOMORPH_UPDATE_GOLDENS=1 writes that
// file anew, and the list in models/README.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "generator/contract/contract.hpp"
#include "generator/import/import.hpp"
#include "generator/pipeline.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::generator;
using monomorph::tests::read_file;
namespace fs = std::filesystem;

namespace {

const fs::path models = fs::path(MONOMORPH_SOURCE_DIR) / "models";
const fs::path tests = fs::path(MONOMORPH_SOURCE_DIR) / "tests" / "models";
const bool updates = std::getenv("MONOMORPH_UPDATE_GOLDENS") != nullptr;

/// What a spec says, and what follows from it.
struct Model {
  Spec spec;
  Contract contract;
};

Model read_model(const std::shared_ptr<const Source>& source) {
  Diagnostics diagnostics;
  std::optional<Spec> spec = read_spec(source, {}, diagnostics);
  std::optional<Contract> contract;
  if (spec) contract = check_contract(*spec, diagnostics);
  REQUIRE_MESSAGE(contract, render(diagnostics));
  return {*std::move(spec), *std::move(contract)};
}

/// models/*.toml, by the names of the files.
const std::map<std::string, Model>& known_models() {
  static std::map<std::string, Model> known;
  for (const fs::directory_entry& entry : fs::directory_iterator(models)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".toml" || known.contains(name)) continue;
    known.emplace(name, read_model(read_source(entry.path().string())));
  }
  return known;
}

/// The directory of a model's config.json; those of papers alone have none.
fs::path config_of(const std::string& name) { return name == "kjv" ? models / "kjv" : tests / "configs" / name; }

/// The lines of a table in tests/models/, without its comments.
std::vector<std::istringstream> rows_of(const std::string& table) {
  std::ifstream file(tests / table);
  std::vector<std::istringstream> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != '#') rows.emplace_back(line);
  }
  return rows;
}

/// parameters.txt: what count_parameters.py wrote.
std::map<std::string, std::int64_t> counted_parameters() {
  std::map<std::string, std::int64_t> counts;
  for (std::istringstream& row : rows_of("parameters.txt")) {
    std::string name;
    row >> name >> counts[name];
  }
  return counts;
}

/// A figure of published.txt, `8.63e9`, half a unit of its last digit, and what components it leaves out.
struct Published {
  std::string name;
  double parameters = 0, half_unit = 0;
  std::set<std::string> without;
};

std::vector<Published> published_parameters() {
  std::vector<Published> figures;
  for (std::istringstream& row : rows_of("published.txt")) {
    Published published;
    std::string figure, source;
    row >> published.name >> figure >> source;
    for (; row && source.starts_with('-'); row >> source) published.without.insert(source.substr(1));
    REQUIRE_MESSAGE(row, published.name << " has no source in published.txt");
    const std::size_t point = figure.find('.'), exponent = std::min(figure.find('e'), figure.size());
    const double decimals = point < exponent ? static_cast<double>(exponent - point - 1) : 0;
    const double power = exponent < figure.size() ? std::stod(figure.substr(exponent + 1)) : 0;
    published.parameters = std::stod(figure);
    published.half_unit = 0.5 * std::pow(10, power - decimals);
    figures.push_back(published);
  }
  return figures;
}

/// What a model dispatches: each phase's kernels in order, a layer of a kind on a line.
std::string dispatches_of(const Plan& plan) {
  std::string text;
  for (const PhasePlan& phase : plan.phases) {
    for (const Section& section : phase.sections) {
      text += std::string("  ") + phase.row->name + ":";
      for (const Call& call : section.calls) text += " " + plan.kernels[call.kernel].name;
      text += "\n";
    }
  }
  return text;
}

/// 6.92 B of 6921720704, three digits that count.
std::string in_short(std::int64_t parameters) {
  const bool billions = parameters >= 999'500'000;
  const double value = static_cast<double>(parameters) / (billions ? 1e9 : 1e6);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::ostringstream text;
  text << std::fixed;
  text.precision(decimals);
  text << value << (billions ? " B" : " M");
  return text.str();
}

/// The list in models/README.md: a row a family, its specs from the smallest on.
std::string list_of_models() {
  std::map<std::string, std::vector<std::pair<std::int64_t, std::string>>> families;
  const std::map<std::string, std::int64_t> counted = counted_parameters();
  for (const auto& [name, model] : known_models()) {
    const Field<std::string>& names = model.spec.checkpoint->names;
    const std::string family = counted.contains(name) ? names.value : names.given ? "without weights" : "of no family";
    families[family].emplace_back(model.contract.total_parameters, name);
  }
  std::string list = "| family | specs, and their parameters |\n| --- | --- |\n";
  for (auto& [family, specs] : families) {
    std::sort(specs.begin(), specs.end());
    list += "| " + family + " |";
    for (const auto& [parameters, name] : specs) {
      list += std::string(name == specs.front().second ? " " : ", ") + "[" + name + "](" + name + ".toml) " +
              in_short(parameters);
    }
    list += " |\n";
  }
  return list;
}

}  // namespace

TEST_CASE("the dispatches of every spec of models/ are those that were looked at last") {
  // Models that dispatch the same, in order of the first one: sizes of a family, mostly.
  std::vector<std::pair<std::string, std::string>> groups;
  for (const auto& [name, model] : known_models()) {
    const PlannedModel planned = plan_model(model.contract);
    const std::string dispatches = dispatches_of(planned.plan);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.second == dispatches; });
    if (group == groups.end()) group = groups.insert(group, {"", dispatches});
    group->first += name + ": " + std::to_string(planned.plan.kernels.size()) + " kernels, " +
                    std::to_string(planned.plan.decode_dispatches(model.contract)) + " dispatches a decoded token\n";
  }
  std::string found;
  for (const auto& [names, dispatches] : groups) found += names + dispatches;
  const fs::path golden = tests / "dispatches.txt";
  if (updates) std::ofstream(golden, std::ios::binary) << found;
  CHECK(read_file(golden) == found);
}

TEST_CASE("every spec of models/ is accepted, under the name of its file") {
  for (const auto& [name, model] : known_models()) CHECK(model.contract.name == name);
}

TEST_CASE("every spec of models/ has exactly the parameters that transformers counts, or those that were published") {
  const std::map<std::string, std::int64_t> counts = counted_parameters();
  std::set<std::string> known;
  for (Published& published : published_parameters()) {
    CAPTURE(published.name);
    REQUIRE(known_models().contains(published.name));
    double total = 0;
    for (const ComponentContract& component : known_models().at(published.name).contract.components) {
      if (published.without.erase(component.name) == 0) total += static_cast<double>(component.parameters);
    }
    CAPTURE(total);
    CHECK(std::abs(total - published.parameters) <= published.half_unit);
    CHECK(published.without.empty());
    known.insert(published.name);
  }
  for (const auto& [name, count] : counts) {
    CAPTURE(name);
    REQUIRE(known_models().contains(name));
    CHECK(known_models().at(name).contract.total_parameters == count);
    known.insert(name);
  }
  CHECK(known.size() == known_models().size());
}

TEST_CASE("a component's parameters sum to the total") {
  for (const auto& [name, model] : known_models()) {
    CAPTURE(name);
    std::int64_t sum = 0;
    for (const ComponentContract& component : model.contract.components) sum += component.parameters;
    CHECK(sum == model.contract.total_parameters);
  }
}

TEST_CASE("a spec of models/ is the model that import makes of the hub's config.json") {
  for (const auto& [name, count] : counted_parameters()) {
    CAPTURE(name);
    Diagnostics diagnostics;
    const std::optional<ImportedSpec> spec = import_huggingface(config_of(name).string(), {}, diagnostics);
    REQUIRE_MESSAGE(spec, render(diagnostics));
    Contract imported = read_model(std::make_shared<const Source>(Source{name + ".toml", spec->text})).contract;
    Contract written = known_models().at(name).contract;
    // The texts differ, in comments at least; what they say may not.
    imported.spec_hash.clear();
    written.spec_hash.clear();
    CHECK(dump_contract(imported) == dump_contract(written));
  }
}

TEST_CASE("models/README.md lists every spec") {
  const std::string begin = "<!-- models: begin -->\n", text = read_file(models / "README.md");
  const std::size_t from = text.find(begin), to = text.find("<!-- models: end -->");
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const std::string list = "\n" + list_of_models() + "\n";
  if (updates) {
    std::ofstream(models / "README.md", std::ios::binary)
        << text.substr(0, from + begin.size()) << list << text.substr(to);
    return;
  }
  const bool is_current = text.substr(from + begin.size(), to - from - begin.size()) == list;
  CHECK_MESSAGE(is_current, "stale: MONOMORPH_UPDATE_GOLDENS=1 build/bin/test_models writes it anew");
}
