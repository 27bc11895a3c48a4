#include "generator/spec/explain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "generator/spec/new_spec.hpp"
#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> specs_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(MONOMORPH_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

TEST_CASE("an explained spec resolves to the same contract, and explains itself in the same words") {
  std::vector<std::string> paths = specs_in("tests/cases/pass");
  REQUIRE(paths.size() >= 10);
  for (const std::string& model : specs_in("models")) paths.push_back(model);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const Judged original = judge(read_source(path));
    INFO(render(original.diagnostics));
    REQUIRE(original.contract);
    const std::string explained = explain_spec(*original.spec);
    const Judged again = judge(explained);
    INFO(explained << render(again.diagnostics));
    REQUIRE(again.contract);
    CHECK(dump_contract(*again.contract) == dump_contract(*original.contract));
    CHECK(explain_spec(*again.spec) == explained);
  }
}

TEST_CASE("an explained spec states defaults that were not given") {
  const std::string text = explain_spec(*judge(tiny).spec);
  for (const char* line : {"head_dim = 24\n", "scale = \"1 / sqrt(head_dim)\"\n", "rope_theta = 10000.0\n",
                           "rotary_dim = 24\n", "steps = [\"attention\", \"mlp\"]\n", "tie_word_embeddings = false\n",
                           "max_sequence_length = 64\n", "kv_cache = \"f16\"\n", "input_norm = true\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("a new spec passes as it stands, also with an awkward name") {
  for (const std::string name : {"mine", "7b-chat", "int"}) {
    const Judged judged = judge(new_spec(name));
    INFO(render(judged.diagnostics));
    REQUIRE(judged.contract);
    CHECK(judged.contract->name == name);
  }
  CHECK(errors_of(judge(new_spec("a\"b")).diagnostics) == std::vector<std::string>{"model.name 4:8"});
}
