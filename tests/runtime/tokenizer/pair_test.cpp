// Pairs of texts, types and truncation, against what the `tokenizers` library gives (pairs.py), and what it refuses.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/error.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using nlohmann::json;
using Ids = std::vector<std::int32_t>;

namespace {

const std::string here = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer";

json read(const std::string& name) {
  std::ifstream file(here + "/" + name);
  return json::parse(file);
}
const json& expected() {
  static const json all = read("pairs.json");
  return all;
}

Tokenizer load(const json& file) {
  const tests::TemporaryDirectory directory;
  directory.write("tokenizer.json", file.dump());
  return Tokenizer::load(directory.path());
}
Tokenizer of_kind(const std::string& kind) { return Tokenizer::load(here + "/cases/" + kind); }

/// bert's tokenizer with another post-processor.
Tokenizer with(const json& post_processor) {
  json file = read("cases/bert/tokenizer.json");
  file["post_processor"] = post_processor;
  return load(file);
}

/// Of types below ten a digit each, as pairs.json has them.
std::string digits(const Ids& types) {
  std::string text;
  for (const std::int32_t type : types) text += std::to_string(type);
  return text;
}

void check_cases(const std::string& name, const Tokenizer& tokenizer, const json& cases) {
  REQUIRE(cases.size() >= 15);
  for (const json& item : cases) {
    INFO(name, ": ", item.dump());
    const json& texts = expected()["pairs"][item[1].get<std::size_t>()];
    const auto first = texts[0].get<std::string>(), second = texts[1].get<std::string>();
    const auto limit = item[2].is_null() ? std::nullopt : std::optional(item[2].get<std::int64_t>());
    const bool is_pair = item[0] == 2;
    const EncodedText encoded =
        is_pair ? tokenizer.encode_pair(first, second, limit) : tokenizer.encode_single(first, limit);
    CHECK(encoded.ids == item[3].get<Ids>());
    CHECK(digits(encoded.types) == item[4].get<std::string>());
    if (!is_pair && !limit) CHECK(encoded.ids == tokenizer.encode(first));
  }
}

/// With what a pair is refused.
std::string refusal(const Tokenizer& tokenizer, const std::string& first = "a", const std::string& second = "b") {
  return tests::refused_with([&] { tokenizer.encode_pair(first, second); });
}

json special(const char* name, int type = 0) { return {{"SpecialToken", {{"id", name}, {"type_id", type}}}}; }
json text(const char* name, int type = 0) { return {{"Sequence", {{"id", name}, {"type_id", type}}}}; }
json around(const json& single, const json& pair) {
  const json tokens = {{"cls", {{"id", "cls"}, {"ids", {1}}, {"tokens", {"[CLS]"}}}},
                       {"far", {{"id", "far"}, {"ids", {99999}}, {"tokens", {"?"}}}}};
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", tokens}};
}

}  // namespace

TEST_CASE("texts and pairs have the ids and types that the library gives, whole and truncated") {
  REQUIRE(expected()["kinds"].size() >= 15);
  for (const auto& [kind, cases] : expected()["kinds"].items()) check_cases(kind, of_kind(kind), cases);
}

TEST_CASE("post-processors of every form give the ids and types that the library gives") {
  REQUIRE(expected()["post_processors"].size() >= 15);
  for (const auto& [name, item] : expected()["post_processors"].items()) {
    check_cases(name, with(item["post_processor"]), item["cases"]);
  }
}

TEST_CASE("two texts are truncated as longest_first does, whatever their lengths") {
  const Tokenizer tokenizer = of_kind("word_level");
  const auto words = [](std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += "that ";
    return result;
  };
  const json& lengths = expected()["lengths"];
  REQUIRE(lengths.size() == 12);
  for (std::size_t limit = 0; limit < lengths.size(); ++limit) {
    std::string row;
    for (std::size_t first = 0; first < 6; ++first) {
      for (std::size_t second = 0; second < 6; ++second) {
        const EncodedText encoded =
            tokenizer.encode_pair(words(first), words(second), static_cast<std::int64_t>(limit));
        const auto of_second = std::count(encoded.types.begin(), encoded.types.end(), 1);
        row += (row.empty() ? "" : " ") + std::to_string(std::ssize(encoded.types) - of_second) +
               std::to_string(of_second);
      }
    }
    INFO("limit ", limit);
    CHECK(row == lengths[limit].get<std::string>());
  }
}

TEST_CASE("a limit that special tokens alone pass is refused, with the least that does") {
  const Tokenizer tokenizer = of_kind("bert");
  CHECK(tokenizer.encode_single("a nation", 2).ids == Ids{1, 2});
  CHECK_THROWS_WITH_AS(tokenizer.encode_single("a", 1), doctest::Contains("raise it to 2 or more"), Error);
  CHECK(tokenizer.encode_pair("a", "nation", 3).types == Ids{0, 0, 1});
  CHECK_THROWS_WITH_AS(tokenizer.encode_pair("a", "b", 2), doctest::Contains("max_tokens is 2"), Error);
  CHECK_THROWS_WITH_AS(tokenizer.encode_pair("", "", -1), doctest::Contains("raise it to 3 or more"), Error);
  CHECK_THROWS_WITH_AS(of_kind("qwen2").encode_single("a", -1), doctest::Contains("raise it to 0"), Error);
}

TEST_CASE("a text of a pair that is not UTF-8 is named") {
  const Tokenizer tokenizer = of_kind("gpt2");
  CHECK(refusal(tokenizer, "a\xff", "b").starts_with("the first text is not UTF-8 at byte 1"));
  CHECK(refusal(tokenizer, "a", "\xff").starts_with("the second text is not UTF-8 at byte 0"));
}

TEST_CASE("a fault of the template for pairs is met when a pair is encoded, and named by its place") {
  const json alone = json::array({special("cls"), text("A")});
  const std::pair<const char*, json> faults[] = {
      {"post_processor.pair[1]: a template with the text $A twice", {text("A"), text("A", 1), text("B")}},
      {"post_processor.pair[3]: a template with the text $B twice", {text("A"), text("B"), special("cls"), text("B")}},
      {"post_processor.pair: a template without the text $B", {text("A"), special("cls")}},
      {"post_processor.pair: a template without the text $A", json::array()},
      {"post_processor.pair[1]: the template has no text $C", {text("A"), text("C"), text("B")}},
      {"post_processor.special_tokens: 'sep' is missing", {text("A"), special("sep"), text("B")}},
      {"special_tokens.far.ids[0]: 99999 is no token's id", {text("A"), special("far"), text("B")}},
      {"pair[0].Sequence.type_id: a type id belongs here", {text("A", -1), text("B")}},
  };
  for (const auto& [place, pair] : faults) {
    const Tokenizer tokenizer = with(around(alone, pair));
    CHECK(tokenizer.encode("a") == Ids{1, 20});
    const std::string message = refusal(tokenizer);
    INFO(message);
    CHECK(message.find(place) != std::string::npos);
    CHECK(message.find("tokenizer.json") != std::string::npos);
    CHECK(message.find("--tokens") != std::string::npos);
  }
  json without = around(alone, {});
  without.erase("pair");
  CHECK(refusal(with(without)).find("post_processor: 'pair' is missing") != std::string::npos);
  // The first names no text of the second's pair, or adds a token to pairs alone.
  const json bert = read("cases/bert/tokenizer.json")["post_processor"];
  const auto behind = [&](const json& pair) {
    return with({{"type", "Sequence"}, {"processors", {around(json::array({text("A")}), pair), bert}}});
  };
  CHECK(behind(json::array({text("A")})).encode("a") == Ids{1, 20, 2});
  CHECK(refusal(behind(json::array({text("A")}))).find("processors[0].pair: a template without") != std::string::npos);
  CHECK(refusal(behind({text("A"), special("cls"), text("B")})).find("processors[1]: 'BertProcessing' behind") !=
        std::string::npos);
}

TEST_CASE("a tokenizer.model is refused a pair, and so is a GGUF file that does not say how texts are joined") {
  for (const char* const kind : {"sp_llama", "sp_unigram"}) {
    const std::string message = refusal(of_kind(kind));
    CHECK(message.find("tokenizer.model: a SentencePiece model does not say") != std::string::npos);
    CHECK(message.find("use the model's tokenizer.json") != std::string::npos);
  }
  CHECK(digits(of_kind("sp_llama").encode_single("Alice was", 3).types) == "000");
  for (const char* const kind : {"gguf_llama", "gguf_llama3"}) {
    const Tokenizer tokenizer = Tokenizer::load(here + "/cases/" + kind + "/tokenizer.gguf");
    CHECK(refusal(tokenizer).find("tokenizer.gguf: tokenizer.ggml.add_sep_token: it is not true") != std::string::npos);
    CHECK(tokenizer.encode_single("Alice was").ids == tokenizer.encode("Alice was"));
  }
}

TEST_CASE("a GGUF file with a separator joins two texts as llama.cpp does") {
  using Metadata = std::vector<std::pair<std::string, std::string>>;
  const auto flag = [](bool value) { return tests::gguf_value(GgufType::boolean, std::string(1, value ? 1 : 0)); };
  const auto load_with = [](const char* pre, const Metadata& more) {
    std::string tokens, types;
    for (const char* const token : {"<s>", "</s>", "<sep>", "a", "b"}) tokens += tests::gguf_string(token);
    for (const std::int32_t type : {3, 3, 3, 1, 1}) types += tests::number_bytes(type);
    tests::GgufText file;
    file.metadata = {{"tokenizer.ggml.model", tests::gguf_text("gpt2")},
                     {"tokenizer.ggml.pre", tests::gguf_text(pre)},
                     {"tokenizer.ggml.tokens", tests::gguf_array(GgufType::string, 5, tokens)},
                     {"tokenizer.ggml.token_type", tests::gguf_array(GgufType::i32, 5, types)},
                     {"tokenizer.ggml.merges", tests::gguf_array(GgufType::string, 0, "")},
                     {"tokenizer.ggml.bos_token_id", tests::gguf_number(0)},
                     {"tokenizer.ggml.eos_token_id", tests::gguf_number(1)}};
    file.metadata.insert(file.metadata.end(), more.begin(), more.end());
    const tests::TemporaryDirectory directory;
    return Tokenizer::load(directory.write("tokenizer.gguf", file.bytes()));
  };
  const std::pair<std::string, std::string> separator = {"tokenizer.ggml.seperator_token_id", tests::gguf_number(2)},
                                            adds_bos = {"tokenizer.ggml.add_bos_token", flag(true)},
                                            adds_eos = {"tokenizer.ggml.add_eos_token", flag(true)},
                                            adds_sep = {"tokenizer.ggml.add_sep_token", flag(true)};
  const EncodedText joined = load_with("gpt-2", {adds_bos, adds_eos, adds_sep, separator}).encode_pair("aa", "b");
  CHECK(joined.ids == Ids{0, 3, 3, 1, 2, 4, 1});
  CHECK(digits(joined.types) == "0000000");
  CHECK(load_with("gpt-2", {adds_sep, separator}).encode_pair("a", "b").ids == Ids{3, 2, 4});
  // RoBERTa's name says it where the key does not.
  CHECK(load_with("roberta-bpe", {adds_eos, separator}).encode_pair("a", "b").ids == Ids{3, 1, 2, 4, 1});
  CHECK(refusal(load_with("gpt-2", {separator})).find("add_sep_token: it is not true") != std::string::npos);
  CHECK(refusal(load_with("gpt-2", {adds_sep})).find("seperator_token_id: it is missing") != std::string::npos);
  const Tokenizer prompted =
      load_with("gpt-2", {adds_sep, separator, {"tokenizer.chat_template.rerank", tests::gguf_text("{query}")}});
  CHECK(refusal(prompted).find("tokenizer.chat_template.rerank joins two texts") != std::string::npos);
}
