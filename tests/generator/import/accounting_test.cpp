#include <doctest/doctest.h>

#include "generator/import/key_tables.hpp"
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
                                                      {"hidden_act", "gelu"},
                                                      {"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}},
                                                      {"pretraining_tp", 2},
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
  REQUIRE(imported.spec->import.ignored.size() == 1);
  CHECK(imported.spec->import.ignored.front().first == "new_key");
}

TEST_CASE("--ignore reaches into an object by its path") {
  const json config = llama_config({{"rope_parameters", {{"rope_theta", 1e4}, {"new_key", 1}}}});
  CHECK(import_text(config.dump()).complains("import.unknown_key", "rope_parameters.new_key"));
  CHECK(import_text(config.dump(), {"rope_parameters.new_key"}).spec);
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
  const json config = llama_config({{"rope_scaling", {{"rope_type", "llama3"}}}});
  const Imported imported = import_text(config.dump(), {"rope_scaling"});
  CHECK_FALSE(imported.text);
  CHECK(imported.complains("import.rope_scaling", "llama3"));
  CHECK(imported.complains("import.ignore", "rope_scaling"));
}

TEST_CASE("--ignore of a key that is not there suggests the nearest") {
  const Imported imported = import_text(llama_config({{"new_key", 1}}).dump(), {"new_kye"});
  CHECK(imported.complains("import.ignore", "new_key"));
}

TEST_CASE("every row of the table of ignored keys is accepted and leaves the spec as it was") {
  const std::string plain = *import_text(llama_config().dump()).text;
  const std::string body = plain.substr(plain.find('\n', plain.find("name =")));
  for (const IgnoredKey& row : ignored_keys()) {
    CAPTURE(row.key);
    if ((row.families & family_llama) == 0 || std::string(row.key) == "transformers_version") continue;
    const Imported imported = import_text(llama_config({{row.key, "something"}}).dump());
    REQUIRE(imported.text);
    CHECK(imported.text->substr(imported.text->find('\n', imported.text->find("name ="))) == body);
  }
}

TEST_CASE("every row of the table of single values accepts these and refuses another by name") {
  for (const OnlyValue& row : only_values()) {
    CAPTURE(row.key);
    const std::string allowed = row.allowed;
    const json good = json::parse(allowed.substr(0, allowed.find(' ')));
    json config = llama_config();
    if ((row.families & family_llama) == 0) {
      config = (row.families & family_mistral) != 0
                   ? config_of("MistralForCausalLM", "mistral", {{"sliding_window", nullptr}})
                   : json({{"architectures", {"GPT2LMHeadModel"}}});
    }
    config[row.key] = good;
    CHECK(import_text(config.dump()).text);
    config[row.key] = "another";
    const Imported refused = import_text(config.dump());
    CHECK_FALSE(refused.text);
    CHECK(refused.complains("import.unsupported_value", row.key));
  }
}

TEST_CASE("no key stands in the tables twice for one architecture") {
  std::map<std::string, unsigned> seen;
  for (const IgnoredKey& row : ignored_keys()) {
    CAPTURE(row.key);
    CHECK((seen[row.key] & row.families) == 0u);
    seen[row.key] |= row.families;
  }
  for (const OnlyValue& row : only_values()) {
    CAPTURE(row.key);
    CHECK((seen[row.key] & row.families) == 0u);
    seen[row.key] |= row.families;
  }
}
