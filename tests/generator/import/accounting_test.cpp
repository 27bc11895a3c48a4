#include <doctest/doctest.h>

#include "generator/import/family.hpp"
#include "tests/generator/import/imported.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;
using json = nlohmann::ordered_json;

TEST_CASE("an unknown key is an error at its line that names it") {
  const Imported imported = import_text(llama_config({{"final_logit_softcapping", 30.0}}).dump(2));
  CHECK_FALSE(imported.text);
  REQUIRE(imported.of("import.unknown_key").size() == 1);
  const Diagnostic error = imported.of("import.unknown_key").front();
  CHECK(error.message.find("final_logit_softcapping") != std::string::npos);
  // Eleven keys before it, the list of architectures over three lines.
  CHECK(error.span.line == 15);
  CHECK(error.span.column == 3);
}

TEST_CASE("all problems of a config.json are told in one run, in the file's order") {
  const Imported imported = import_text(llama_config({{"new_key", 1},
                                                      {"hidden_act", "gelus"},
                                                      {"rope_scaling", {{"type", "mrope"}, {"factor", 2.0}}},
                                                      {"use_mrope", true},
                                                      {"vocab_size", "many"}})
                                            .dump(2));
  REQUIRE(imported.diagnostics.all().size() == 5);
  int line = 0;
  for (const Diagnostic& diagnostic : imported.diagnostics.all()) {
    CHECK(diagnostic.span.line > line);
    line = diagnostic.span.line;
  }
}

TEST_CASE("--ignore accepts an unknown key, and the spec records it") {
  const Imported imported = import_text(llama_config({{"new_key", 1}}).dump(), {"new_key"});
  REQUIRE(imported.spec);
  REQUIRE(imported.spec->import->ignored.size() == 1);
  CHECK(imported.spec->import->ignored.front().first == "new_key");
}

TEST_CASE("--ignore reaches into an object by its path") {
  const json config = llama_config({{"rope_parameters", {{"rope_theta", 1e4}, {"new_key", 1}}}});
  CHECK(import_text(config.dump()).complains("import.unknown_key", "rope_parameters.new_key"));
  CHECK(import_text(config.dump(), {"rope_parameters.new_key"}).spec);
}

TEST_CASE("a key with a dot in it is unknown, whatever is read where it looks like a path to") {
  const json scaling = {{"rope_type", "linear"}, {"factor", 2.0}, {"rope_theta", 1e4}};
  const json config = llama_config({{"rope_parameters", scaling}, {"rope_parameters.rope_theta", 5.0}});
  const Imported refused = import_text(config.dump());
  CHECK_FALSE(refused.text);
  CHECK(refused.complains("import.unknown_key", "'rope_parameters.rope_theta'"));
  // So is one that looks like a path to what has one value that runs.
  for (const auto& [name, small] : small_configs()) {
    for (const auto& [path, only] : families().at(name).only) {
      if (path.find('.') == std::string::npos) continue;
      INFO(name, ": ", path);
      json flat = small;
      flat[path] = json::parse(only.runs.substr(0, only.runs.find(' ')));
      CHECK(import_text(flat.dump()).complains("import.unknown_key", path));
    }
  }
}

TEST_CASE("keys that other tools leave in a config.json are known") {
  CHECK(import_text(llama_config({{"_model_name_or_path", "a/b"}, {"unk_token_id", 0}}).dump()).spec);
  CHECK(import_text(config_of("Qwen2ForCausalLM", "qwen2", {{"unk_token_id", 0}}).dump()).spec);
}

TEST_CASE("a Llama's name as the first conversions spelt it is known") {
  const Imported imported = import_text(config_of("LLaMAForCausalLM", "llama").dump());
  REQUIRE(imported.text);
  const std::string usual = *import_text(llama_config().dump()).text;
  CHECK(imported.text->substr(imported.text->find("vocab_size")) == usual.substr(usual.find("vocab_size")));
  CHECK(
      import_text(config_of("LLaMAForCausalLM", "qwen2").dump()).complains("import.architecture", "LlamaForCausalLM"));
}

TEST_CASE("--ignore cannot hide a key that decides what is computed") {
  const json config = llama_config({{"rope_scaling", {{"rope_type", "dynamic"}}}});
  const Imported imported = import_text(config.dump(), {"rope_scaling"});
  CHECK_FALSE(imported.text);
  CHECK(imported.complains("import.rope_scaling", "dynamic"));
  CHECK(imported.complains("import.ignore", "rope_scaling"));
}

TEST_CASE("--ignore of a key that is not there suggests the nearest") {
  const Imported imported = import_text(llama_config({{"new_key", 1}}).dump(), {"new_kye"});
  CHECK(imported.complains("import.ignore", "new_key"));
}

TEST_CASE("all keys that a family ignores are accepted and leave the spec as it was") {
  for (const auto& [name, config] : small_configs()) {
    INFO(name);
    json with = config;
    for (const auto& [key, why] : families().at(name).ignored) {
      const Family& family = families().at(name);
      const bool is_token = (key == "decoder_start_token_id" && family.has_encoder()) ||
                            (key == "mask_token_id" && family.tokenizer.mask_token_id.given);  // read beside others
      if (!is_token) with[key] = "something";
    }
    const Imported imported = import_text(with.dump());
    REQUIRE_MESSAGE(imported.text, render(imported.diagnostics));
    const auto body = [](const std::string& text) { return text.substr(text.find('\n', text.find("name ="))); };
    CHECK(body(*imported.text) == body(*import_text(config.dump()).text));
  }
}

TEST_CASE("every key of a family with one value that runs has that value, and is refused by name with another") {
  for (const auto& [name, small] : small_configs()) {
    for (const auto& [key, only] : families().at(name).only) {
      INFO(name, ": ", key);
      json config = small;
      at_path(config, key) = json::parse(only.runs.substr(0, only.runs.find(' ')));
      CHECK(import_text(config.dump()).text);
      at_path(config, key) = "another";
      const Imported refused = import_text(config.dump());
      CHECK_FALSE(refused.text);
      CHECK(refused.complains("import.unsupported_value", key));
    }
  }
}
