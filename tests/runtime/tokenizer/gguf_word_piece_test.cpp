// WordPiece of a GGUF file against that of the tokenizer.json that it would have been made from, as llama.cpp's
// conversion makes it: a mark before pieces that begin a word, no prefix before those that go on.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/error.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using nlohmann::json;

namespace {

const std::string cases = MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/";
using Metadata = std::vector<std::pair<std::string, std::string>>;

json read(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// Pieces by id, as a file has them; specials first, as in the cases.
std::vector<std::string> pieces_of(const json& vocabulary) {
  std::vector<std::string> pieces(vocabulary.size());
  for (const auto& [content, id] : vocabulary.items()) {
    const bool special = content.front() == '[' && content.size() > 1, goes_on = content.starts_with("##");
    pieces[id.get<std::size_t>()] = special ? content : goes_on ? content.substr(2) : "\u2581" + content;
  }
  return pieces;
}

Tokenizer load(const std::vector<std::string>& pieces, const Metadata& more = {}) {
  std::string tokens, types;
  for (const std::string& piece : pieces) {
    tokens += tests::gguf_string(piece);
    types += tests::number_bytes(std::int32_t{piece.front() == '[' && piece.size() > 1 ? 3 : 1});
  }
  tests::GgufText file;
  file.metadata = {{"tokenizer.ggml.model", tests::gguf_text("bert")},
                   {"tokenizer.ggml.tokens", tests::gguf_array(GgufType::string, pieces.size(), tokens)},
                   {"tokenizer.ggml.token_type", tests::gguf_array(GgufType::i32, pieces.size(), types)}};
  file.metadata.insert(file.metadata.end(), more.begin(), more.end());
  const tests::TemporaryDirectory directory;
  return Tokenizer::load(directory.write("tokenizer.gguf", file.bytes()));
}

std::string refusal(const std::vector<std::string>& pieces, const Metadata& more = {}) {
  return tests::refused_with([&] { load(pieces, more); });
}

}  // namespace

TEST_CASE("a GGUF file's WordPiece cuts, joins and spells as the tokenizer.json does") {
  for (const std::string name : {"bert", "bert_cased"}) {
    json original = read(cases + name + "/tokenizer.json");
    original["model"]["max_input_chars_per_word"] = 100;
    original["normalizer"]["clean_text"] = original["normalizer"]["handle_chinese_chars"] = true;
    original["decoder"]["cleanup"] = true;
    const tests::TemporaryDirectory directory;
    const Tokenizer expected = Tokenizer::load(directory.write("tokenizer.json", original.dump()));
    const Tokenizer tokenizer = load(pieces_of(original["model"]["vocab"]));
    const json texts = read(cases + name + "/expected.json")["texts"];
    CHECK(texts.size() >= 30);
    for (const auto& item : texts) {
      const auto text = item["text"].get<std::string>();
      INFO(name, ": ", item["text"].dump(-1, ' ', true));
      const std::vector<std::int32_t> ids = expected.encode(text);
      CHECK(tokenizer.encode(text) == ids);
      CHECK(tokenizer.decode(ids) == expected.decode(ids));
      const EncodedText pair = tokenizer.encode_pair(text, "one"), wanted = expected.encode_pair(text, "one");
      CHECK(pair.ids == wanted.ids);
      CHECK(pair.types == wanted.types);
    }
  }
}

TEST_CASE("the tokens around a text are those of the keys, else those of BERT's names") {
  const std::vector<std::string> pieces = {"[UNK]", "[CLS]", "[SEP]", "[A]", "[B]", "\u2581a", "b"};
  CHECK(load(pieces).encode("ab") == std::vector<std::int32_t>{1, 5, 6, 2});
  CHECK(load(pieces, {{"tokenizer.ggml.cls_token_id", tests::gguf_number(3)},
                      {"tokenizer.ggml.seperator_token_id", tests::gguf_number(4)},
                      {"tokenizer.ggml.bos_token_id", tests::gguf_number(0)}})
            .encode("c") == std::vector<std::int32_t>{3, 0, 4});
}

TEST_CASE("a vocabulary that is none of WordPiece is refused by its key") {
  CHECK(refusal({"[CLS]", "[SEP]", "\u2581a"}).find("tokenizer.ggml.unknown_token_id: it is missing") !=
        std::string::npos);
  CHECK(refusal({"[UNK]", "[SEP]", "\u2581a"}).find("tokenizer.ggml.cls_token_id: it is missing") != std::string::npos);
  CHECK(refusal({"[UNK]", "[CLS]", "[SEP]", "a", "a"}).find("tokenizer.ggml.tokens: two tokens are ##a") !=
        std::string::npos);
}
