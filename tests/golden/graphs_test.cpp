// Every golden without an engine: its case's spec as the graph that comes of it, evaluated over the case's weights.
// Each family's spec, import and reading of weights is so compared with the library in a second, where building an
// engine and running it takes ten.
//   MONOMORPH_GOLDEN_TOKENS=N   texts of so many tokens at most, in place of 16
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "generator/graph/graph.hpp"
#include "generator/pipeline.hpp"
#include "tests/golden/golden_distance.hpp"

using namespace monomorph;
using namespace monomorph::generator;
namespace fs = std::filesystem;

namespace {

constexpr double tolerance = 1e-5;

std::int64_t most_tokens() {
  const char* text = std::getenv("MONOMORPH_GOLDEN_TOKENS");
  return text != nullptr ? std::stoll(text) : 16;
}

std::vector<fs::path> all_cases() {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(fs::path(MONOMORPH_SOURCE_DIR) / "tests" / "golden" / "cases")) {
    cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

/// What the case's engine is generated with, as far as it changes what is computed.
std::vector<Override> settings_of(const std::string& name) {
  const std::size_t converted = name.find("-as-"), ending = name.rfind("-gguf");
  if (converted == std::string::npos || ending == std::string::npos) return {};
  return {{"engine.weights", '"' + name.substr(converted + 4, ending - converted - 4) + '"'}};
}

}  // namespace

TEST_CASE("every golden's graph gives its rows, evaluated over its weights") {
  for (const fs::path& directory : all_cases()) {
    const std::string name = directory.filename();
    CAPTURE(name);
    const fs::path spec = fs::exists(directory / "model.toml") ? directory / "model.toml" : directory;
    const Contract contract = accept_spec(open_spec(spec.string()), settings_of(name)).contract;
    const Meaning meaning{contract, build_graph(contract)};
    CHECK(tests::golden_distance(meaning, directory, most_tokens()) <= tolerance);
  }
}
