// Every key of every golden's config.json is changed: import then gives another spec or refuses, or the key is one that
// its family ignores. What a key says is read by something.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "generator/import/family.hpp"
#include "tests/generator/import/imported.hpp"
#include "tests/support/files.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;
using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// Keys that may be without effect beside the others; of one family where its model_type stands before it.
const std::set<std::string> may_be_inert = {
    "architectures", "model_type",       // each is enough
    "original_max_position_embeddings",  // of a Phi-3 that no LongRoPE scales
    // A window that is switched off, that no layer type asks for, or that is as long as the model.
    "sliding_window", "use_sliding_window", "max_window_layers", "layer_types",
    // Only both together leave biases out, which is refused.
    "pretraining_tp", "slow_but_exact",
    // Null takes the ratio of the lengths in its place, and it may be that.
    "rope_scaling.factor",
    // An object without keys says as much as null.
    "rope_scaling", "rope_parameters", "rope_parameters.full_attention", "rope_scaling.rope_type",
    "rope_parameters.rope_type", "attn_config",
    // Both 0 and null clip nothing.
    "attn_config.clip_qkv",
    // A LayerNorm of LLaDA has an epsilon that no key says, and include_bias asks for these biases as well.
    "llada/rms_norm_eps", "llada/bias_for_layer_norm", "llada/include_qkv_bias",
    // Null takes as many heads as are as wide as the model, and it may be that.
    "openelm/num_query_heads"};

const std::vector<json> others = {nullptr, false,         true,           0,         1, 7, 3.5,
                                  "other", json::array(), json::object(), {{"a", 1}}};

std::string outcome(const TemporaryDirectory& directory, const json& config) {
  directory.write("config.json", config.dump());
  Diagnostics diagnostics;
  return import_huggingface(directory.path().string(), {}, diagnostics).value_or(ImportedSpec{"refused", {}}).text;
}

const Family& family_of(const json& config) {
  for (const auto& [name, family] : families()) {
    if (family.model_type == config["model_type"].get<std::string>()) return family;
  }
  FAIL("a golden of no family");
  return families().begin()->second;
}

/// Changes the value at `pointer` and checks what import makes of it.
void perturb(const json& config, const std::string& path, const json::json_pointer& pointer) {
  CAPTURE(path);
  const TemporaryDirectory directory;
  const std::string before = outcome(directory, config);
  REQUIRE(before != "refused");
  const bool is_ignored = family_of(config).ignored.contains(path);
  const std::string of_family = config["model_type"].get<std::string>() + "/" + path;
  const bool may_be_idle = may_be_inert.contains(path) || may_be_inert.contains(of_family);
  bool has_effect = false;
  for (const json& other : others) {
    if (config[pointer] == other) continue;
    CAPTURE(other.dump());
    json changed = config;
    changed[pointer] = other;
    const bool differs = outcome(directory, changed) != before;
    has_effect |= differs;
    CHECK((differs || is_ignored || may_be_idle));
    CHECK_FALSE((differs && is_ignored));
  }
  CHECK((has_effect || is_ignored));
}

}  // namespace

TEST_CASE("every key of every golden's config.json is read by something, or ignored for a reason") {
  const fs::path cases = fs::path(MONOMORPH_SOURCE_DIR) / "tests" / "golden" / "cases";
  for (const fs::directory_entry& entry : fs::directory_iterator(cases)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with("-f32")) continue;                    // the others differ in their dtype alone
    if (!fs::exists(entry.path() / "config.json")) continue;  // of a spec
    CAPTURE(name);
    const json config = json::parse(read_file(entry.path() / "config.json"));
    for (const auto& [key, value] : config.items()) {
      perturb(config, key, json::json_pointer("/" + key));
      if (!value.is_object() || family_of(config).ignored.contains(key)) continue;
      for (const auto& [inner, inner_value] : value.items()) {
        perturb(config, key + "." + inner, json::json_pointer("/" + key + "/" + inner));
      }
    }
  }
}
