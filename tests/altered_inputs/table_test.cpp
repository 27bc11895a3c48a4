// Each key of each golden's config.json and each field of each spec, altered: what notices it is what table.md says.
// MONOMORPH_UPDATE_GOLDENS=1 build/bin/test_altered_inputs --no-skip --test-case='*every one' writes it anew.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "generator/import/import.hpp"
#include "generator/spec/document.hpp"
#include "tests/altered_inputs/inputs.hpp"
#include "tests/altered_inputs/table.hpp"
#include "tests/support/files.hpp"

using namespace monomorph;
using namespace monomorph::tests;
using namespace monomorph::generator;
using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const fs::path table = fs::path(MONOMORPH_SOURCE_DIR) / "tests" / "altered_inputs" / "table.md";

std::shared_ptr<const Source> spec_of(const Input& input) {
  if (!input.is_config()) return read_source(input.file);
  Diagnostics diagnostics;
  const auto imported = import_huggingface(input.weights, {}, diagnostics);
  REQUIRE_MESSAGE(imported, render(diagnostics));
  return std::make_shared<const Source>(Source{"spec.toml", imported->text});
}

/// With MONOMORPH_PASSED=FILE, configs that nothing notices are added to the file: ask_library.py takes it.
void record_passed(const Input& input, const Outcome& outcome, const json& config) {
  const char* file = std::getenv("MONOMORPH_PASSED");
  if (file == nullptr || (outcome.fate != Fate::same && outcome.fate != Fate::use)) return;
  const json line = {
      {"case", input.weights.filename()}, {"key", outcome.key}, {"what", outcome.what}, {"config", config}};
  std::ofstream(file, std::ios::app) << line.dump() << "\n";
}

TableLine line_of(const std::vector<Input>& inputs, const Input& input) {
  Model model(spec_of(input), input.weights);
  TableLine line = {input.name, {}};
  const auto others = [&](const std::vector<std::string>& path) { return others_at(inputs, input, path); };
  for (const Alteration& alteration : list_alterations(input.object, others, input.is_config())) {
    Outcome outcome = {fmt::format("{}", fmt::join(alteration.path, ".")), alteration.what, Fate::unseen};
    CAPTURE(outcome.key);
    CAPTURE(outcome.what);
    if (input.is_config()) {
      const json config = altered(input.object, alteration);
      outcome.fate = model.alter_config(config);
      record_passed(input, outcome, config);
    } else {
      std::vector<std::string> keys;
      std::transform(alteration.path.begin(), alteration.path.end(), std::back_inserter(keys), write_key);
      Override change = {fmt::format("{}", fmt::join(keys, ".")), std::nullopt};
      if (alteration.value) change.value = toml_of(*alteration.value);
      outcome.fate = model.alter_spec(change);
    }
    CHECK(outcome.fate != Fate::unseen);
    line.outcomes.push_back(std::move(outcome));
  }
  return line;
}

}  // namespace

TEST_CASE("what notices that a config or a spec was altered is what the table says, of every thirtieth") {
  const std::vector<Input> inputs = all_inputs();
  const std::string known = read_file(table);
  for (std::size_t i = 0; i < inputs.size(); i += MONOMORPH_SANITIZED ? 60 : 30) {
    CAPTURE(inputs[i].file);
    const std::string line = line_of(inputs, inputs[i]).text();
    CHECK_MESSAGE(known.find(line) != std::string::npos, line);
  }
}

TEST_CASE("what notices that a config or a spec was altered is what the table says, of every one" * doctest::skip()) {
  const std::vector<Input> inputs = all_inputs();
  std::vector<TableLine> configs, specs;
  for (const Input& input : inputs) {
    CAPTURE(input.file);
    (input.is_config() ? configs : specs).push_back(line_of(inputs, input));
  }
  const std::string found = table_of(configs, specs);
  if (std::getenv("MONOMORPH_UPDATE_GOLDENS") != nullptr) std::ofstream(table, std::ios::binary) << found;
  CHECK(read_file(table) == found);
}
