// Tokenizers of another kind, and files that contradict themselves: refused, naming what and where.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "runtime/error.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using nlohmann::json;
using Change = std::function<void(json&)>;

namespace {

json sound_file() {
  std::ifstream file(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/llama3/tokenizer.json");
  return json::parse(file);
}

/// The message with which the file is refused; "" when it loads.
std::string refusal(const std::string& text, ErrorKind kind = ErrorKind::rejected) {
  const tests::TemporaryDirectory directory;
  directory.write("tokenizer.json", text);
  try {
    Tokenizer::load(directory.path());
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    CHECK(std::string(error.what()).find("tokenizer.json") != std::string::npos);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the file the changes below start from loads") { CHECK(refusal(sound_file().dump()) == ""); }

TEST_CASE("each part that is not read is refused by its name and place") {
  const std::vector<std::pair<std::string, Change>> changes = {
      {"'WordPiece' of words of bytes", [](json& f) { f["model"]["type"] = "WordPiece"; }},
      {"'Unigram' of words of bytes", [](json& f) { f["model"]["type"] = "Unigram"; }},
      {"'WordLevel' of words of bytes", [](json& f) { f["model"]["type"] = "WordLevel"; }},
      {"the model 'Words'", [](json& f) { f["model"]["type"] = "Words", f["pre_tokenizer"] = nullptr; }},
      {"byte_fallback", [](json& f) { f["model"]["byte_fallback"] = true; }},
      {"dropout", [](json& f) { f["model"]["dropout"] = 0.1; }},
      {"continuing_subword_prefix", [](json& f) { f["model"]["continuing_subword_prefix"] = "##"; }},
      {"end_of_word_suffix", [](json& f) { f["model"]["end_of_word_suffix"] = "</w>"; }},
      {"normalizer.normalizers[1]: 'Strip' may drop",
       [](json& f) {
         f["pre_tokenizer"] = {{"type", "Metaspace"}, {"prepend_scheme", "first"}};
         f["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}, {{"type", "Strip"}}}}};
       }},
      {"'StripAccents' may drop",
       [](json& f) {
         f["pre_tokenizer"] = {{"type", "Metaspace"}, {"prepend_scheme", "first"}};
         f["normalizer"] = {{"type", "StripAccents"}};
       }},
      {"'BertNormalizer' may drop",
       [](json& f) {
         f["pre_tokenizer"] = {{"type", "Metaspace"}, {"prepend_scheme", "first"}};
         f["normalizer"] = {{"type", "BertNormalizer"}, {"clean_text", false}};
       }},
      {"'Replace' may drop",
       [](json& f) {
         f["pre_tokenizer"] = {{"type", "Metaspace"}, {"prepend_scheme", "first"}};
         f["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", ""}};
       }},
      {"a_new_key", [](json& f) { f["model"]["a_new_key"] = 1; }},
      {"another_key", [](json& f) { f["another_key"] = 1; }},
      {"merge 0", [](json& f) { f["model"]["merges"][0] = "one"; }},
      {"merge 1", [](json& f) { f["model"]["merges"][1] = {"zz", "qq"}; }},
      {"two tokens have the id", [](json& f) { f["model"]["vocab"]["twin"] = 5; }},
      {"'<|b|>' has the id", [](json& f) { f["added_tokens"] = {{{"id", 900}, {"content", "<|b|>"}}}; }},
      {"has no id", [](json& f) { f["model"]["vocab"]["twin"] = -5; }},
      {"has no id", [](json& f) { f["model"]["vocab"]["twin"] = 4'000'000'000u; }},
      {"token 'b' has the id 16777215, too high for 2 tokens",
       [](json& f) { f["model"]["vocab"] = {{"a", 0}, {"b", 16'777'215}}; }},
      {"added_tokens[0]: 'a' has the id", [](json& f) { f["added_tokens"][0]["content"] = "a"; }},
      {"added_tokens[0]: '<|begin|>' has the id 5", [](json& f) { f["added_tokens"][0]["id"] = 5; }},
      {"added_tokens[1]: '<|end|>' has the id 999", [](json& f) { f["added_tokens"][1]["id"] = 999; }},
      {"added_tokens[3]: '<|begin|>' is added twice",
       [](json& f) {
         f["added_tokens"].push_back(f["added_tokens"][0]);
         f["added_tokens"][3]["lstrip"] = true;
       }},
      {"pre_tokenizer.replacement", [](json& f) { f["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", ""}}; }},
      {"prepend_scheme",
       [](json& f) { f["pre_tokenizer"] = {{"type", "Metaspace"}, {"prepend_scheme", "sometimes"}}; }},
      {"pre_tokenizer.pretokenizers[1]",
       [](json& f) { f["pre_tokenizer"]["pretokenizers"][1] = {{"type", "UnicodeScripts"}}; }},
      {"pre_tokenizer.pretokenizers[2]: 'ByteLevel' after ByteLevel",
       [](json& f) {
         auto& list = f["pre_tokenizer"]["pretokenizers"];
         list.push_back(list[1]);
       }},
      {"'Metaspace' after ByteLevel",
       [](json& f) { f["pre_tokenizer"]["pretokenizers"].push_back({{"type", "Metaspace"}}); }},
      {"Sideways", [](json& f) { f["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Sideways"; }},
      {"'a{2}?' uses a '?' after an interval",
       [](json& f) { f["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "a{2}?"; }},
      {"Nmt", [](json& f) { f["normalizer"] = {{"type", "Nmt"}}; }},
      {"normalizer.normalizers[1]",
       [](json& f) {
         f["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}, {{"type", "Nmt"}}}}};
       }},
      {"base64", [](json& f) { f["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "*"}}; }},
      {"no table", [](json& f) { f["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}}; }},
      {"post_processor.processors[1].special_tokens.<|begin|>.ids[0]: 99999 is no token's id",
       [](json& f) { f["post_processor"]["processors"][1]["special_tokens"]["<|begin|>"]["ids"][0] = 99999; }},
      {"post_processor.cls[1]: 99999 is no token's id",
       [](json& f) {
         f["post_processor"] = {{"type", "RobertaProcessing"}, {"sep", {"</s>", 1}}, {"cls", {"<s>", 99999}}};
       }},
      {"post_processor.processors[1].single[2]: a template with the text $A twice",
       [](json& f) {
         json& single = f["post_processor"]["processors"][1]["single"];
         single.push_back(single[1]);
       }},
      {"post_processor.processors[1].single: a template without the text $A",
       [](json& f) { f["post_processor"]["processors"][1]["single"].erase(1); }},
      {"post_processor.processors[1].single[1]: the template has no text $B",
       [](json& f) { f["post_processor"]["processors"][1]["single"][1]["Sequence"]["id"] = "B"; }},
      {"post_processor.processors[1].single[0].SpecialToken.type_id: a type id belongs here",
       [](json& f) { f["post_processor"]["processors"][1]["single"][0]["SpecialToken"]["type_id"] = 3'000'000'000u; }},
      {"the post-processor 'Mixed' is not read", [](json& f) { f["post_processor"] = {{"type", "Mixed"}}; }},
      {"'cls' is missing", [](json& f) { f["post_processor"] = {{"type", "BertProcessing"}}; }},
      {"post_processor.processors[1]", [](json& f) { f["post_processor"]["processors"][1]["special_tokens"].clear(); }},
      {"CTC", [](json& f) { f["decoder"] = {{"type", "CTC"}}; }},
      {"behind one that joins",
       [](json& f) {
         f["decoder"] = {{"type", "Sequence"}, {"decoders", {{{"type", "Fuse"}}, {{"type", "ByteFallback"}}}}};
       }},
      {"decoder.stop",
       [](json& f) { f["decoder"] = {{"type", "Strip"}, {"content", "x"}, {"start", 0}, {"stop", -1}}; }},
      {"'model' is missing", [](json& f) { f.erase("model"); }},
      {"model.vocab", [](json& f) { f["model"]["vocab"] = json::array(); }},
  };
  for (const auto& [expected, change] : changes) {
    json file = sound_file();
    change(file);
    const std::string message = refusal(file.dump());
    INFO(expected, " in: ", message);
    CHECK(message.find(expected) != std::string::npos);
    CHECK(message.find("--tokens") != std::string::npos);
  }
}

TEST_CASE("a damaged file is refused, a missing one is an environment's failure") {
  CHECK(refusal("{\"model\": ").find("not JSON") != std::string::npos);
  CHECK(refusal("").find("not JSON") != std::string::npos);
  CHECK(refusal("{\"version\": 6e666}").find("a number in it is too large") != std::string::npos);
  const tests::TemporaryDirectory empty;
  try {
    Tokenizer::load(empty.path());
    FAIL("it loaded");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::environment);
  }
}

TEST_CASE("a damaged tokenizer.model is refused, wherever it is cut") {
  std::ifstream file(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/sp_llama/tokenizer.model", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const tests::TemporaryDirectory directory;
  int refused = 0;
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 97) {
    directory.write("tokenizer.model", whole.substr(0, size));
    try {
      Tokenizer::load(directory.path());  // what ends with a piece is a model of fewer pieces
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::rejected);
      CHECK(std::string(error.what()).find("tokenizer.model") != std::string::npos);
      ++refused;
    }
  }
  CHECK(refused > 50);
}

TEST_CASE("a SentencePiece model whose merges go through what is no piece is refused, naming the piece") {
  std::ifstream file(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/sp_unused/tokenizer.model", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto refused = [&](std::size_t at, char by, const char* expected) {
    std::string changed = bytes;
    changed[at] = by;
    const tests::TemporaryDirectory directory;
    directory.write("tokenizer.model", changed);
    CHECK_THROWS_WITH_AS(Tokenizer::load(directory.path()), doctest::Contains(expected), Error);
  };
  // A piece: its size, then field 1 with its size and text, field 2 with four bytes, field 3 with its type.
  const std::size_t letter_s = bytes.find("\n\x01s\x15");
  REQUIRE(letter_s != bytes.npos);
  refused(letter_s + 2, 'z', "'st', is made of 's'");
  refused(letter_s + 9, 5, "'s', is a character that is marked unused");
}

TEST_CASE("a text that is not UTF-8 is refused at its place") {
  const Tokenizer tokenizer = Tokenizer::load(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/gpt2");
  CHECK_THROWS_WITH_AS(tokenizer.encode("ab\xff"), doctest::Contains("byte 2"), Error);
}

TEST_CASE("a byte the vocabulary lacks is refused when nothing stands for the unknown") {
  json file = sound_file();
  json& vocabulary = file["model"]["vocab"];
  vocabulary["<no space>"] = vocabulary["\xc4\xa0"];
  vocabulary.erase("\xc4\xa0");
  json merges = json::array();
  for (const auto& merge : file["model"]["merges"]) {
    if (merge[0] != "\xc4\xa0" && merge[1] != "\xc4\xa0") merges.push_back(merge);
  }
  file["model"]["merges"] = merges;
  const tests::TemporaryDirectory directory;
  directory.write("tokenizer.json", file.dump());
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  CHECK_THROWS_WITH_AS(tokenizer.encode("one two qq  z"), doctest::Contains("0x20"), Error);
}
