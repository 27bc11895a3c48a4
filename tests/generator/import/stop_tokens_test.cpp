#include <doctest/doctest.h>

#include "tests/generator/import/imported.hpp"

using namespace monomorph::tests;
using json = nlohmann::ordered_json;
using Ids = std::vector<std::int64_t>;

namespace {

monomorph::tests::Imported import_both(const json& config, const json& generation) {
  const TemporaryDirectory directory;
  directory.write("config.json", config.dump());
  directory.write("generation_config.json", generation.dump());
  return import_directory(directory.path().string());
}

}  // namespace

TEST_CASE("stop tokens are config.json's, one or a list") {
  const Imported one = import_text(llama_config({{"bos_token_id", 5}, {"eos_token_id", 7}}).dump());
  REQUIRE(one.spec);
  CHECK(one.spec->tokenizer->bos_token_id.value == 5);
  CHECK(one.spec->tokenizer->eos_token_id.value == Ids{7});
  const Imported list = import_text(llama_config({{"eos_token_id", {7, 9, 7}}}).dump());
  REQUIRE(list.spec);
  CHECK(list.spec->tokenizer->eos_token_id.value == Ids{7, 9});
}

TEST_CASE("generation_config.json's stop tokens take the place of config.json's") {
  const Imported imported =
      import_both(llama_config({{"eos_token_id", 7}}), {{"eos_token_id", {7, 9}}, {"temperature", 0.6}});
  REQUIRE(imported.spec);
  CHECK(imported.spec->tokenizer->eos_token_id.value == Ids{7, 9});
  CHECK(imported.text->find("from generation_config.json") != std::string::npos);
}

TEST_CASE("a generation_config.json without stop tokens leaves config.json's") {
  const Imported imported = import_both(llama_config({{"eos_token_id", 7}}), {{"eos_token_id", nullptr}});
  REQUIRE(imported.spec);
  CHECK(imported.spec->tokenizer->eos_token_id.value == Ids{7});
}

TEST_CASE("absent ids are the architecture's defaults, and null is none") {
  const Imported absent = import_text(llama_config().dump());
  REQUIRE(absent.spec);
  CHECK(absent.spec->tokenizer->bos_token_id.value == 1);
  CHECK(absent.spec->tokenizer->eos_token_id.value == Ids{2});
  const Imported null = import_text(llama_config({{"bos_token_id", nullptr}, {"eos_token_id", nullptr}}).dump());
  REQUIRE(null.spec);
  CHECK(null.spec->tokenizer->bos_token_id.value == -1);
  CHECK(null.spec->tokenizer->eos_token_id.value.empty());
  const Imported qwen = import_text(config_of("Qwen2ForCausalLM", "qwen2").dump());
  REQUIRE(qwen.spec);
  CHECK(qwen.spec->tokenizer->eos_token_id.value.empty());
}

TEST_CASE("an id of -1 is none, alone or in a list") {
  const Imported alone = import_text(llama_config({{"bos_token_id", -1}, {"eos_token_id", -1}}).dump());
  REQUIRE(alone.spec);
  CHECK(alone.spec->tokenizer->bos_token_id.value == -1);
  CHECK(alone.spec->tokenizer->eos_token_id.value.empty());
  CHECK(alone.text->find("eos_token_id") == std::string::npos);
  const Imported list = import_text(llama_config({{"eos_token_id", {-1, 7}}}).dump());
  REQUIRE(list.spec);
  CHECK(list.spec->tokenizer->eos_token_id.value == Ids{7});
}

TEST_CASE("ids outside the vocabulary are left out, and the spec says so") {
  const Imported imported = import_text(json({{"architectures", {"GPT2LMHeadModel"}}, {"vocab_size", 97}}).dump());
  REQUIRE(imported.spec);
  CHECK(imported.spec->tokenizer->eos_token_id.value.empty());
  CHECK(imported.text->find("eos_token_id 50256 is outside the vocabulary") != std::string::npos);
}

TEST_CASE("the last id of the vocabulary is a stop token, the next one is none") {
  const Imported imported = import_text(llama_config({{"eos_token_id", {299, 300}}, {"bos_token_id", 300}}).dump());
  REQUIRE(imported.spec);
  CHECK(imported.spec->tokenizer->eos_token_id.value == Ids{299});
  CHECK(imported.spec->tokenizer->bos_token_id.value == -1);
  CHECK(imported.text->find("eos_token_id 300 is outside the vocabulary") != std::string::npos);
}

TEST_CASE("ids that are no ids are refused") {
  CHECK(import_text(llama_config({{"eos_token_id", "</s>"}}).dump()).complains("import.wrong_type", "eos_token_id"));
  CHECK(import_text(llama_config({{"eos_token_id", {1, -5}}}).dump()).complains("import.wrong_type", "eos_token_id"));
  CHECK(import_both(llama_config(), {{"eos_token_id", 0.5}}).complains("import.wrong_type", "eos_token_id"));
}
