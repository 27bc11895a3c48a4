// What a config is told whose architecture no family reads: the nearest family, what differs, what to do.
#include "generator/import/nearest_family.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "generator/contract/parts.hpp"
#include "runtime/formats/checkpoint_names.hpp"
#include "tests/generator/import/imported.hpp"
#include "tests/support/safetensors_writer.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;
using json = nlohmann::ordered_json;

namespace {

/// The refusal and its notes, of a directory with this config and tensors of these names.
std::string refusal(const json& config, const std::vector<std::string>& tensors = {}) {
  const TemporaryDirectory directory;
  directory.write("config.json", config.dump());
  std::vector<TensorText> texts;
  for (const std::string& name : tensors) texts.push_back({name, "F16", {2}, ""});
  if (!texts.empty()) directory.write("model.safetensors", safetensors(texts));
  const Imported imported = import_directory(directory.path().string());
  REQUIRE(imported.of("import.architecture").size() == 1);
  return render(imported.diagnostics);
}

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

/// A config of a class that there is not.
json unknown(json config) {
  config["architectures"] = {"UnknownForCausalLM"};
  config["model_type"] = config.value("model_type", "model") + "-9";
  return config;
}

/// With every key at the top that the family has a default for, as transformers saves it.
json whole(json config, const Family& family) {
  for (const auto& [name, key] : family.keys) {
    const bool said = std::ranges::any_of(key.paths, [&](const auto& path) { return config.contains(path); });
    if (said || !key.fallback || name.find('.') != std::string::npos) continue;
    const auto& value = key.fallback->is;
    if (const auto* word = std::get_if<std::string>(&value)) config[name] = *word;
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr) continue;
    if (key.form->type == Type::boolean) config[name] = *number != 0;
    if (key.form->type == Type::integer) config[name] = static_cast<int>(*number);
    if (key.form->type == Type::real) config[name] = *number;
  }
  return config;
}

}  // namespace

TEST_CASE("a model of a new name is nearest to the family whose config and tensors it has") {
  for (const auto& [name, config] : small_configs()) {
    CAPTURE(name);
    const Family& family = families().at(name);
    std::vector<std::string> tensors;
    for (const auto& [part, tensor] : family.checkpoint.tensors) {
      tensors.push_back(
          with_number(monomorph::with_layer(family.checkpoint.prefix.value.front() + tensor.name, {0, 0, 0}), "0"));
    }
    std::ranges::sort(tensors);
    tensors.erase(std::ranges::unique(tensors).begin(), tensors.end());
    const std::string text = refusal(unknown(whole(config, family)), tensors);
    INFO(text);
    CHECK(says(text, "it is nearest to " + name + " (" + family.architectures.front() + "), which reads "));
    CHECK(says(text, "`monomorph new NAME --like " + name + "`"));
    CHECK_FALSE(says(text, " does not know "));
    CHECK_FALSE(says(text, " has no tensors "));
  }
}

TEST_CASE("what differs is told with its values: keys on either side, and tensors") {
  json config = unknown(llama_config({{"router_size", 7}, {"gated", true}}));
  config.erase("rms_norm_eps");
  const std::string text =
      refusal(config, {"model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight",
                       "model.layers.1.mlp.up_proj.weight", "model.layers.0.mlp.banks.3.up_proj.weight"});
  CHECK(says(text, "config.json:1:2: error: 'UnknownForCausalLM' does not run: no family reads it"));
  CHECK(says(text,
             "it is nearest to llama (LlamaForCausalLM), which reads 7 of the 9 keys that may change what it "
             "computes and names 2 of 3 kinds of its tensors\n"));
  CHECK(says(text, "note: llama does not know 'router_size' = 7, 'gated' = true\n"));
  CHECK(says(text, "note: llama reads what is not said: "));
  CHECK(says(text, "'rms_norm_eps' (default 1e-06)"));
  CHECK(says(text, "'attention_bias' (default false)"));
  CHECK(says(text, "note: llama has no tensors model.layers.{i}.mlp.banks.{i}.up_proj\n"));
  CHECK(says(text, "`monomorph new NAME --like llama`"));
  CHECK(says(text, "generator/families/llama-9.toml, imports"));
  CHECK_FALSE(says(text, "say so"));
}

TEST_CASE("where all is known, the remedy may be the family's own name") {
  const std::string text = refusal(unknown(llama_config()));
  CHECK(says(text, R"(say so: "architectures": ["LlamaForCausalLM"], "model_type": "llama")"));
}

TEST_CASE("of an index without its shards the names are compared too") {
  const TemporaryDirectory directory;
  directory.write("config.json", unknown(llama_config()).dump());
  directory.write("model.safetensors.index.json",
                  R"({"weight_map": {"model.norm.weight": "a.safetensors", "model.odd.weight": "b.safetensors"}})");
  CHECK(safetensors_names(directory.path().string()) ==
        std::vector<std::string>{"model.norm.weight", "model.odd.weight"});
  const std::string text = render(import_directory(directory.path().string()).diagnostics);
  CHECK(says(text, "names 1 of 2 kinds of its tensors"));
  CHECK(says(text, "llama has no tensors model.odd\n"));
}

TEST_CASE("a decoder's config inside an object is compared, and the file that would include its family is told") {
  const json both = {{"architectures", {"BothForConditionalGeneration"}},
                     {"model_type", "both"},
                     {"vision_config", {{"patch", 1}, {"image", 2}, {"a", 3}, {"b", 4}, {"c", 5}}},
                     {"text_config", llama_config()}};
  const std::string text = refusal(both);
  CHECK(says(text, "'text_config' in it is nearest to llama (LlamaForCausalLM)"));
  CHECK(says(text, "generator/families/both.toml with include = [{ file = \"llama\", under = \"text_config\" }]"));
}

TEST_CASE("what is near to no family is told the way alone, and whatever differs, the refusal stays short") {
  const std::string far = refusal({{"architectures", {"xLSTMForCausalLM"}}, {"context_length", 16}, {"slstm_at", 4}});
  CHECK_FALSE(says(far, "nearest"));
  CHECK(says(far, "`monomorph new NAME --like FAMILY`"));
  CHECK(says(far, "generator/families/NAME.toml, imports"));
  CHECK(says(refusal(json::object()), "docs/extending.md"));
  json config = unknown(llama_config());
  std::vector<std::string> tensors = {"model.norm.weight", "lm_head.weight"};
  for (int i = 0; i < 9; ++i) {
    config["odd_" + std::to_string(i)] = std::string(200, 'x');
    tensors.push_back("odd_" + std::string(static_cast<std::size_t>(i + 1), 'x'));
  }
  const std::string text = refusal(config, tensors);
  CHECK(says(text, " and 3 more\n"));
  CHECK(std::ranges::count(text, '\n') <= 12);
}
