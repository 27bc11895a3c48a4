// The specs of models/: accepted, of exactly the size that transformers counts, the same model that import makes of the
// hub's config.json, and dispatched as dispatches.txt says (MONOMORPH_UPDATE_GOLDENS=1 writes it anew).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "generator/contract/contract.hpp"
#include "generator/import/import.hpp"
#include "generator/pipeline.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::generator;
namespace fs = std::filesystem;

namespace {

const fs::path models = fs::path(MONOMORPH_SOURCE_DIR) / "models";
const fs::path tests = fs::path(MONOMORPH_SOURCE_DIR) / "tests" / "models";

/// models/*.toml, by name.
std::vector<std::string> spec_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(models)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// parameters.txt: what count_parameters.py wrote.
std::map<std::string, std::int64_t> counted_parameters() {
  std::ifstream file(tests / "parameters.txt");
  std::map<std::string, std::int64_t> counts;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string name;
    std::int64_t count = 0;
    words >> name >> count;
    counts[name] = count;
  }
  return counts;
}

Contract contract_of(const std::shared_ptr<const Source>& source) {
  Diagnostics diagnostics;
  const std::optional<Spec> spec = read_spec(source, {}, diagnostics);
  std::optional<Contract> contract;
  if (spec) contract = check_contract(*spec, diagnostics);
  REQUIRE_MESSAGE(contract, render(diagnostics));
  return *contract;
}

Contract contract_of_model(const std::string& name) {
  return contract_of(read_source((models / (name + ".toml")).string()));
}

/// What a model dispatches: its kernels by template, then each phase's kernels in order, a layer of a kind on a line.
std::string dispatches_of(const std::string& name) {
  const Contract contract = contract_of_model(name);
  const PlannedModel planned = plan_model(contract);
  const Plan& plan = planned.plan;
  std::string text = name + ": " + std::to_string(plan.kernels.size()) + " kernels, " +
                     std::to_string(plan.decode_dispatches(contract)) + " dispatches a decoded token\n";
  for (const PhasePlan& phase : plan.phases) {
    for (const Section& section : phase.sections) {
      text += std::string("  ") + phase.row->name + ":";
      for (const Call& call : section.calls) text += " " + plan.kernels[call.kernel].name;
      text += "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("the dispatches of every spec of models/ are those that were looked at last") {
  std::string found;
  for (const std::string& name : spec_names()) found += dispatches_of(name);
  const fs::path golden = tests / "dispatches.txt";
  if (std::getenv("MONOMORPH_UPDATE_GOLDENS") != nullptr) std::ofstream(golden, std::ios::binary) << found;
  CHECK(monomorph::tests::read_file(golden) == found);
}

TEST_CASE("every spec of models/ is accepted, under the name of its file") {
  for (const std::string& name : spec_names()) {
    CAPTURE(name);
    CHECK(contract_of_model(name).name == name);
  }
}

TEST_CASE("every spec of models/ has exactly the parameters that transformers counts") {
  const std::map<std::string, std::int64_t> counts = counted_parameters();
  for (const std::string& name : spec_names()) {
    CAPTURE(name);
    REQUIRE(counts.contains(name));
    CHECK(contract_of_model(name).total_parameters == counts.at(name));
  }
  CHECK(counts.size() == spec_names().size());
}

TEST_CASE("exact totals are those that were published with the weights") {
  const std::map<std::string, std::int64_t> published = {
      {"llama-2-7b", 6738415616},  {"llama-3-8b", 8030261248},      {"llama-3-70b", 70553706496},
      {"yi-34b", 34388917248},     {"mistral-7b-v0.3", 7248023552}, {"qwen2.5-0.5b", 494032768},
      {"gpt2", 124439808},         {"qwen2.5-72b", 72706203648},    {"tinyllama-1.1b", 1100048384},
      {"smollm2-135m", 134515008}, {"mistral-7b-v0.1", 7241732096}, {"gemma-2-2b", 2614341888},
      {"bloom-560m", 559214592},   {"pythia-160m", 162322944},      {"phi-4", 14659507200},
  };
  for (const auto& [name, parameters] : published) {
    CAPTURE(name);
    CHECK(contract_of_model(name).total_parameters == parameters);
  }
}

TEST_CASE("totals agree with the rounded figures of the papers") {
  const std::map<std::string, double> rounded = {{"llama-2-7b", 6.7e9},  {"llama-3-70b", 70.6e9},  {"yi-34b", 34.4e9},
                                                 {"stories15m", 15.2e6}, {"stories110m", 109.5e6}, {"gpt2", 124e6},
                                                 {"gpt2-medium", 355e6}, {"gpt2-large", 774e6},    {"gpt2-xl", 1558e6},
                                                 {"qwen3-0.6b", 0.6e9}};
  for (const auto& [name, parameters] : rounded) {
    CAPTURE(name);
    CHECK(static_cast<double>(contract_of_model(name).total_parameters) == doctest::Approx(parameters).epsilon(0.01));
  }
}

TEST_CASE("a component's parameters sum to the total") {
  for (const std::string& name : spec_names()) {
    CAPTURE(name);
    const Contract contract = contract_of_model(name);
    std::int64_t sum = 0;
    for (const ComponentContract& component : contract.components) sum += component.parameters;
    CHECK(sum == contract.total_parameters);
  }
}

TEST_CASE("a spec of models/ is the model that import makes of the hub's config.json") {
  for (const std::string& name : spec_names()) {
    CAPTURE(name);
    const fs::path directory = name == "kjv" ? models / "kjv" : tests / "configs" / name;
    Diagnostics diagnostics;
    const std::optional<ImportedSpec> spec = import_huggingface(directory.string(), {}, diagnostics);
    REQUIRE_MESSAGE(spec, render(diagnostics));
    Contract imported = contract_of(std::make_shared<const Source>(Source{name + ".toml", spec->text}));
    Contract written = contract_of_model(name);
    // The texts differ, in comments at least; what they say may not.
    imported.spec_hash.clear();
    written.spec_hash.clear();
    CHECK(dump_contract(imported) == dump_contract(written));
  }
}
