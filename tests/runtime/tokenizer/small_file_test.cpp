// Small files that are easily got wrong; what is expected is what the `tokenizers` library, 0.23.3, gives for them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/error.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "runtime/tokenizer/tokenizer_patterns.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using nlohmann::json;
using Ids = std::vector<std::int32_t>;

namespace {

/// A file of this model, with `parts` beside it.
Tokenizer load(const json& model, const json& parts = json::object()) {
  json file = {{"version", "1.0"}, {"model", model}};
  file.update(parts);
  const tests::TemporaryDirectory directory;
  directory.write("tokenizer.json", file.dump());
  return Tokenizer::load(directory.path());
}

/// Of these tokens, numbered in this order.
json vocabulary(const std::vector<std::string>& tokens) {
  json result = json::object();
  for (const std::string& token : tokens) result[token] = result.size();
  return result;
}
json bpe(const std::vector<std::string>& tokens, const json& merges = json::array()) {
  return {{"type", "BPE"}, {"vocab", vocabulary(tokens)}, {"merges", merges}};
}

}  // namespace

TEST_CASE("a file without a decoder, and one with null, joins tokens by spaces") {
  CHECK(load(bpe({"a", "b"})).decode(Ids{0, 1}) == "a b");
  CHECK(load(bpe({"a", "b"}), {{"decoder", nullptr}}).decode(Ids{0, 1}) == "a b");
}

TEST_CASE("the head of merges.txt is no merge") {
  const Tokenizer tokenizer = load(bpe({"a", "b", "ab"}, {"#version: 0.2", "a b"}));
  CHECK(tokenizer.encode("ab") == Ids{2});
}

TEST_CASE("an unknown token outside the vocabulary stands for nothing: what is unknown is refused") {
  json model = bpe({"a", "b"});
  model["unk_token"] = "<nowhere>";
  CHECK(load(model).encode("ab") == Ids{0, 1});
  CHECK_THROWS_WITH_AS(load(model).encode("abz"), doctest::Contains("no token for 'z'"), Error);
  const json words = {{"type", "WordLevel"}, {"vocab", {{"a", 0}}}, {"unk_token", "<nowhere>"}};
  CHECK(load(words).encode("a") == Ids{0});
  CHECK_THROWS_AS(load(words).encode("b"), Error);
}

TEST_CASE("of equal unigram pieces the last is meant, with its score") {
  const json pieces = json::parse(R"([["<unk>", 0.0], ["a", -1.0], ["b", -2.0], ["a", -5.0], ["ab", -4.0]])");
  const Tokenizer tokenizer = load({{"type", "Unigram"}, {"unk_id", 0}, {"vocab", pieces}});
  CHECK(tokenizer.encode("aba") == Ids{4, 3});
  CHECK(tokenizer.token_id("a") == 3);
  CHECK(tokenizer.decode(Ids{1, 3}) == "a a");
}

TEST_CASE(
    "a character that only begins longer unigram pieces is unknown, and of ways of one score the first is taken") {
  const json pieces = json::parse(
      R"([["<unk>", 0.0], ["ab", -40.0], ["bc", -1.0], ["x", -1.0], ["xx", -2.0], ["y", -1.5], ["yx", -2.5], ["xy", -2.5]])");
  const Tokenizer tokenizer = load({{"type", "Unigram"}, {"unk_id", 0}, {"vocab", pieces}});
  CHECK(tokenizer.encode("abc") == Ids{0, 2});
  CHECK(tokenizer.encode("xx") == Ids{4});
  CHECK(tokenizer.encode("xyx") == Ids{3, 6});
}

TEST_CASE("the one capital whose small letter is two characters becomes both") {
  const json lower = {{"normalizer", {{"type", "Lowercase"}}}};
  CHECK(load(bpe({"i", "\u0307", "x"}), lower).encode("X\u0130X") == Ids{2, 0, 1, 2});
}

TEST_CASE("Metaspace's 'first' marks the beginning of the text alone, however it was split before") {
  const json split = {{"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", "Removed"}, {"invert", false}};
  const json first = {{"type", "Metaspace"}, {"prepend_scheme", "first"}};
  const json parts = {{"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, first}}}}};
  const Tokenizer tokenizer = load(bpe({"a", "b", "\u2581"}), parts);
  CHECK(tokenizer.encode("a-b") == Ids{2, 0, 1});
  CHECK(tokenizer.encode("-a-b") == Ids{0, 1});
}

TEST_CASE("an added token has its id of the vocabulary, or the next after its entries and those added before") {
  const auto added = [](const std::vector<std::pair<std::string, int>>& tokens) {
    json list = json::array();
    for (const auto& [content, id] : tokens) list.push_back({{"id", id}, {"content", content}});
    return json{{"added_tokens", list}};
  };
  json model = bpe({"a", "b", "ab"});
  CHECK(load(model, added({{"a", 0}, {"<x>", 3}, {"<x>", 3}, {"", 9}, {"<y>", 4}})).encode("<y><x>a") == Ids{4, 3, 0});
  CHECK_THROWS_WITH_AS(load(model, added({{"<x>", 4}})), doctest::Contains("added_tokens[0]"), Error);
  CHECK_THROWS_WITH_AS(load(model, added({{"<x>", 3}, {"<y>", 5}})), doctest::Contains("added_tokens[1]"), Error);
  model["vocab"]["b"] = 5;  // a gap: there are three entries
  CHECK(load(model, added({{"<x>", 3}})).encode("<x>b") == Ids{3, 5});
  CHECK(load(model, added({{"b", 5}, {"<x>", 6}})).encode("<x>b") == Ids{6, 5});
  CHECK_THROWS_AS(load(model, added({{"<x>", 6}})), Error);
}

TEST_CASE("an unknown character is held back over those that are spelt in bytes") {
  json model = bpe({"z", "<unk>", "<0xC3>", "<0xA9>"});
  model["unk_token"] = "<unk>";
  model["byte_fallback"] = true;
  CHECK(load(model).encode("\u00df\u00e9") == Ids{2, 3, 1});
  CHECK(load(model).encode("xx\u00e9xxz") == Ids{1, 2, 3, 1, 1, 1, 0});
  CHECK(load(model).encode("\u00e9\u00dfz") == Ids{2, 3, 1, 0});
  model["fuse_unk"] = true;
  CHECK(load(model).encode("xx\u00e9xxz") == Ids{2, 3, 1, 0});
  CHECK(load(model).encode("x\u00e9x\u00e9") == Ids{2, 3, 2, 3, 1});
}

TEST_CASE("of post-processors one may add tokens") {
  const auto around = [](const char* name, int id, bool adds) {
    json single = json::array();
    if (adds) single.push_back({{"SpecialToken", {{"id", name}, {"type_id", 0}}}});
    single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    return json{{"type", "TemplateProcessing"},
                {"single", single},
                {"pair", json::array()},
                {"special_tokens", {{name, {{"id", name}, {"ids", {id}}, {"tokens", {name}}}}}}};
  };
  const auto sequence = [](const std::vector<json>& list) {
    return json{{"post_processor", {{"type", "Sequence"}, {"processors", list}}}};
  };
  const json model = bpe({"a", "<s>", "<t>"}), bytes = {{"type", "ByteLevel"}};
  const json s = around("<s>", 1, true), none = around("<s>", 1, false), t = around("<t>", 2, true);
  CHECK(load(model, sequence({bytes, s, bytes})).encode("a") == Ids{1, 0});
  CHECK(load(model, sequence({none, s})).encode("a") == Ids{1, 0});
  // The library takes the token and the text for a pair.
  CHECK_THROWS_WITH_AS(load(model, sequence({s, none})), doctest::Contains("post_processor.processors[1]"), Error);
  CHECK_THROWS_WITH_AS(load(model, sequence({s, t})), doctest::Contains("post_processor.processors[1]"), Error);
}

TEST_CASE("Metaspace's 'first' is read with normalizers that keep the first character") {
  const json first = {{"type", "Metaspace"}, {"prepend_scheme", "first"}};
  const json strip = {{"type", "Strip"}, {"strip_left", false}};
  const json replace = {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", "\u2581"}};
  const json parts = {{"normalizer", {{"type", "Sequence"}, {"normalizers", {strip, replace}}}},
                      {"pre_tokenizer", first}};
  const Tokenizer tokenizer = load(bpe({"a", "\u2581"}), parts);
  CHECK(tokenizer.encode("a") == Ids{1, 0});
  CHECK(tokenizer.encode("   a  ") == Ids{1, 0});
}

TEST_CASE(
    "bytes that spell nothing are a token each, and a pattern that matches nothing leaves an empty token as it is") {
  const json model = bpe({"<0xC3>", "<0xA9>", "a", ""});
  const auto decoder = [](const std::vector<json>& list) {
    return json{{"decoder", {{"type", "Sequence"}, {"decoders", list}}}};
  };
  const json bytes = {{"type", "ByteFallback"}},
             strip = {{"type", "Strip"}, {"content", "\ufffd"}, {"start", 1}, {"stop", 0}};
  const json front = {{"type", "Replace"}, {"pattern", {{"Regex", "^"}}}, {"content", "-"}};
  CHECK(load(model, decoder({bytes})).decode(Ids{0, 1, 0, 2}) == "\ufffd\ufffd\ufffda");
  CHECK(load(model, decoder({bytes, strip})).decode(Ids{0, 1, 0, 2}) == "a");
  CHECK(load(model, decoder({bytes, front})).decode(Ids{0, 0, 2, 0, 1}) == "-\ufffd-\ufffd-a-\u00e9");
  CHECK(load(model, decoder({front})).decode(Ids{2, 3, 2}) == "-a-a");
}

TEST_CASE("names of pre-tokenizers in GGUF files share the patterns of those they are equal to") {
  const std::pair<const char*, const char*> pairs[] = {
      {"falcon3", "llama3"}, {"falcon-h1", "llama3"}, {"pixtral", "llama3"},      {"midm-2.0", "llama3"},
      {"lfm2", "llama3"},    {"dbrx", "llama3"},      {"jina-v5-nano", "llama3"}, {"smaug-bpe", "llama3"},
      {"kormo", "qwen2"},    {"f2llmv2", "qwen2"},    {"megrez", "qwen2"},        {"kanana2", "gpt-4o"},
      {"talkie", "gpt-4o"},  {"minimax-m2", "gpt-4o"}};
  for (const auto& [name, equal] : pairs) {
    INFO(std::string(name));
    REQUIRE(find_pre_tokenizer(name) != nullptr);
    CHECK(find_pre_tokenizer(name)->patterns.data() == find_pre_tokenizer(equal)->patterns.data());
  }
}
