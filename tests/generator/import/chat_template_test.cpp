// The chat template of a checkpoint, in the spec that import writes.
#include <doctest/doctest.h>

#include "tests/generator/import/imported.hpp"
#include "tests/support/files.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

const std::string config = read_file(MONOMORPH_SOURCE_DIR "/models/kjv/config.json");

/// [chat] of a directory with these files beside config.json.
generator::ChatSection chat_of(const std::map<std::string, std::string>& files) {
  const TemporaryDirectory directory;
  directory.write("config.json", config);
  for (const auto& [name, text] : files) directory.write(name, text);
  const Imported imported = import_directory(directory.path().string());
  REQUIRE(imported.spec);
  return *imported.spec->chat;
}

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

}  // namespace

TEST_CASE("a template is tokenizer_config.json's, or that of chat_template.jinja, byte for byte") {
  for (const std::string text : {"{% for m in messages %}\n{{ m }}\n{% endfor %}", "it's '''quoted'''", "ends with '",
                                 "\r\n\t\\n \"x\" \x01", "# {{ bos_token }} \xC3\xA9", "\n\nlines\n"}) {
    CAPTURE(text);
    CHECK(chat_of({{"tokenizer_config.json", "{\"chat_template\": " + quoted(text) + "}"}}).text.value == text);
    CHECK(chat_of({{"tokenizer_config.json", "{\"chat_template\": \"other\"}"}, {"chat_template.jinja", text}})
              .text.value == text);
  }
  CHECK(chat_of({}).text.value.empty());
  CHECK(chat_of({{"tokenizer_config.json", "{\"bos_token\": \"<s>\"}"}}).special_tokens.empty());
}

TEST_CASE("of several templates the default one is taken, and that of tools where there are tools") {
  const auto text_of = [](const std::string& templates) {
    return chat_of({{"tokenizer_config.json", "{\"chat_template\": " + templates + "}"}}).text.value;
  };
  CHECK(text_of(R"([{"name": "rag", "template": "r"}, {"name": "default", "template": "d"}])") == "d");
  CHECK(text_of(R"([{"name": "tool_use", "template": " \nt\n"}, {"name": "default", "template": "\nd \r\n"}])") ==
        "{% if tools is not none %}\n \nt{%+ else %}\n\nd {%+ endif %}");
  CHECK(text_of(R"([{"name": "tool_use", "template": "t"}])").empty());
  CHECK(text_of(R"([{"name": "rag", "template": "r"}])").empty());
}

TEST_CASE("special tokens are texts or objects with one, of either file") {
  const auto chat =
      chat_of({{"tokenizer_config.json",
                R"({"chat_template": "x", "bos_token": {"content": "<s>"}, "eos_token": "</s>", "unk_token": null})"},
               {"special_tokens_map.json", R"({"bos_token": "other", "pad_token": {"content": "<pad>"}})"}});
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"bos_token", "<s>"}, {"eos_token", "</s>"}, {"pad_token", "<pad>"}};
  CHECK(chat.special_tokens == expected);
}

TEST_CASE("files that are no JSON, and a template that is no UTF-8, are refused by name") {
  const auto refused = [](const std::string& name, const std::string& text, const std::string& word) {
    const TemporaryDirectory directory;
    directory.write("config.json", config);
    directory.write(name, text);
    return import_directory(directory.path().string()).complains("import.chat_template", word);
  };
  CHECK(refused("tokenizer_config.json", "{\"chat_template\": ", "tokenizer_config.json is no JSON object"));
  CHECK(refused("special_tokens_map.json", "[]", "special_tokens_map.json is no JSON object"));
  CHECK(refused("chat_template.jinja", "\xFF", "not UTF-8"));
}
