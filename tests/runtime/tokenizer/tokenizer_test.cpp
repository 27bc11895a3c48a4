// Against what the `tokenizers` library gives for the same files, and SentencePiece for its own
// (make_tokenizer_goldens.py).
#include "runtime/tokenizer/tokenizer.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/tokenizer/utf8.hpp"

using namespace monomorph;
using Ids = std::vector<std::int32_t>;

namespace {

struct Kind {
  std::string name;
  Tokenizer tokenizer;
  nlohmann::json expected;
};

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases")) {
    std::ifstream file(entry.path() / "expected.json");
    const std::filesystem::path gguf = entry.path() / "tokenizer.gguf";
    kinds.push_back({entry.path().filename(), Tokenizer::load(std::filesystem::exists(gguf) ? gguf : entry.path()),
                     nlohmann::json::parse(file)});
  }
  return kinds;
}

}  // namespace

TEST_CASE("every kind of tokenizer encodes each text as the library that it is of does") {
  const std::vector<Kind> kinds = all_kinds();
  REQUIRE(kinds.size() >= 45);
  for (const Kind& kind : kinds) {
    REQUIRE(kind.expected["texts"].size() >= 30);
    for (const auto& item : kind.expected["texts"]) {
      const auto text = item["text"].get<std::string>();
      INFO(kind.name, ": ", item["text"].dump(-1, ' ', true));
      const Ids ids = item["ids"];
      CHECK(kind.tokenizer.encode(text) == ids);
      CHECK(kind.tokenizer.encode(text, false) == item.value("plain", ids));
      // The second time the words are found in the cache.
      CHECK(kind.tokenizer.encode(text) == ids);
    }
  }
}

TEST_CASE("ids decode to the text the tokenizers library gives, with special tokens and without") {
  for (const Kind& kind : all_kinds()) {
    for (const auto& item : kind.expected["texts"]) {
      INFO(kind.name, ": ", item["text"].dump(-1, ' ', true));
      const Ids ids = item["ids"];
      const nlohmann::json decoded = item.value("decoded", item["text"]), skipped = item.value("skipped", decoded);
      if (!decoded.is_null()) CHECK(kind.tokenizer.decode(ids) == decoded.get<std::string>());
      if (!skipped.is_null()) CHECK(kind.tokenizer.decode(ids, true) == skipped.get<std::string>());
    }
    for (const auto& item : kind.expected["decodings"]) {
      INFO(kind.name, ": ", item["ids"].dump());
      CHECK(kind.tokenizer.decode(item["ids"].get<Ids>()) == item["decoded"].get<std::string>());
    }
  }
}

TEST_CASE("the streaming decoder gives whole characters at every token and the same text in the end") {
  for (const Kind& kind : all_kinds()) {
    for (const char* const list : {"texts", "decodings"}) {
      for (const auto& item : kind.expected[list]) {
        const Ids ids = item["ids"];
        const std::string whole = kind.tokenizer.decode(ids);
        Decoder decoder(kind.tokenizer);
        std::string text;
        for (std::size_t split = 0; split < ids.size(); ++split) {
          const std::string part = decoder.push(ids[split]);
          INFO(kind.name, " after token ", split, " of ", item["ids"].dump());
          CHECK(utf8_error(part) == std::string::npos);
          text += part;
          CHECK(whole.starts_with(text));
        }
        CHECK(text + decoder.finish() == whole);
        CHECK(decoder.finish().empty());
      }
    }
  }
}

TEST_CASE("the vocabulary's size is the highest id + 1, added tokens included") {
  for (const Kind& kind : all_kinds()) {
    INFO(kind.name);
    CHECK(kind.tokenizer.vocab_size() == kind.expected["size"].get<std::int64_t>());
  }
}

TEST_CASE("tokens are found by their content") {
  const Tokenizer tokenizer =
      Tokenizer::load(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/qwen2/tokenizer.json");
  CHECK(tokenizer.token_id("<|end|>"));
  CHECK(tokenizer.token_id("<tool>"));
  CHECK_FALSE(tokenizer.token_id("no such token"));
}

TEST_CASE("ids beyond the tokenizer's decode to nothing, as a padded vocabulary needs") {
  const Tokenizer tokenizer = Tokenizer::load(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/gpt2");
  CHECK(tokenizer.decode(Ids{static_cast<std::int32_t>(tokenizer.vocab_size()), -1, 1 << 30}).empty());
}
