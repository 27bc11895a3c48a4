// What a family says of keys in an object of config.json, and of lists, an engine reads beside its weights too.
#include <doctest/doctest.h>

#include "generator/audit/config_facts.hpp"
#include "runtime/formats/config_facts.hpp"
#include "tests/generator/audit/small_model.hpp"

using namespace monomorph;
using namespace monomorph::generator;

namespace {

/// The places at which a config.json differs from the small Llama, as a family of this text reads it.
std::vector<std::string> differences(const std::string& family_text, const std::string& config) {
  Diagnostics diagnostics;
  FamilyFiles files = family_files();
  files["both.toml"] = family_text;
  const std::optional<Family> family = read_family("both", files, diagnostics);
  const auto source = std::make_shared<const Source>(Source{"spec.toml", tests::small_llama_text(true)});
  const std::optional<Spec> spec = read_spec(source, {}, diagnostics);
  REQUIRE_MESSAGE((family && spec), render(diagnostics));
  Meanings meanings(*spec, {});
  const std::string facts = Json::array({config_facts(*spec, meanings, *family)}).dump();
  std::vector<std::string> paths;
  const auto compared = compare_config({"config.json", config}, facts, spec->model.num_hidden_layers.value, "small");
  REQUIRE(compared.compared);
  for (const ConfigDifference& difference : compared.differences) paths.push_back(difference.path);
  return paths;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("an engine reads the keys of an object where they stand") {
  const std::string both =
      "architectures = [\"Both\"]\nmodel_type = \"both\"\ninclude = [{ file = \"llama\", under = \"text_config\" }]\n";
  const auto theta = [&](const std::string& text_config) {
    const Paths paths = differences(both, R"({"model_type": "both", "text_config": )" + text_config + "}");
    return std::ranges::count(paths, "text_config.rope_theta");
  };
  CHECK(theta(R"({"rope_theta": 10000.0})") == 0);
  CHECK(theta(R"({"rope_theta": 20000.0})") == 1);
  const Paths axes = differences(both, R"({"model_type": "both", "text_config": {"use_mrope": true}})");
  CHECK(std::ranges::count(axes, "text_config.use_mrope") == 1);
}

TEST_CASE("an engine knows what stands in a list") {
  const std::string lists = R"toml(architectures = ["Both"]
model_type = "both"
[keys]
act = "word = 'silu'"
acts = "words?"
widths = "sizes?"
[refuse.act]
"act in acts || 48 in widths" = "refused"
)toml";
  const auto refused = [&](const std::string& keys) {
    const Paths paths = differences(lists, R"({"model_type": "both")" + keys + "}");
    return std::ranges::count_if(paths, [](const std::string& path) { return path == "act" || path == "widths"; });
  };
  CHECK(refused("") == 0);
  CHECK(refused(R"(, "act": "b", "acts": ["a", "c"], "widths": [47])") == 0);
  CHECK(refused(R"(, "act": "b", "acts": ["a", "b"])") == 1);
  CHECK(refused(R"(, "widths": [47, 48])") == 1);
}
