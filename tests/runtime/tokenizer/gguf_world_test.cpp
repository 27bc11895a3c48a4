// How RWKV's World stands in a GGUF file, beyond the case that its published code made (cases/gguf_rwkv).
#include <doctest/doctest.h>

#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/support/gguf_writer.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;

namespace {

/// Of these tokens behind "<s>"; the last one is unused, or of another type.
Tokenizer load(const std::vector<std::string>& tokens, std::int32_t type_of_last = 5) {
  std::string contents = tests::gguf_string("<s>"), types = tests::number_bytes(std::int32_t{3});
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    contents += tests::gguf_string(tokens[i]);
    types += tests::number_bytes(std::int32_t{i + 1 == tokens.size() ? type_of_last : 1});
  }
  tests::GgufText file;
  file.metadata = {{"tokenizer.ggml.model", tests::gguf_text("rwkv")},
                   {"tokenizer.ggml.tokens", tests::gguf_array(GgufType::string, tokens.size() + 1, contents)},
                   {"tokenizer.ggml.token_type", tests::gguf_array(GgufType::i32, tokens.size() + 1, types)}};
  const tests::TemporaryDirectory directory;
  return Tokenizer::load(directory.write("tokenizer.gguf", file.bytes()));
}

}  // namespace

TEST_CASE("tokens are bytes as Python writes them, and what fills the vocabulary up is none") {
  const Tokenizer tokenizer =
      load({"a", "\\n", "\\t\\r", "\\\\", "\\'", "\"", "\\xe4", "\\xb8\\xad", "a\\n", "[PAD10]"});
  CHECK(tokenizer.vocab_size() == 11);
  CHECK(tokenizer.encode("a\naa\t\r\\'\"\xe4\xb8\xad") == std::vector<std::int32_t>{9, 1, 1, 3, 4, 5, 6, 7, 8});
  CHECK(tokenizer.decode(std::vector<std::int32_t>{9, 7, 8, 0, 4}) == "a\n\xe4\xb8\xad<s>\\");
  CHECK(tokenizer.encode("a<s>a") == std::vector<std::int32_t>{1, 0, 1});
  CHECK(tests::refused_with([&] { tokenizer.encode("[PAD10]"); }).find("'['") != std::string::npos);
}

TEST_CASE("a token that a user defined is found as it is written, and other types are refused") {
  const Tokenizer tokenizer = load({"a", "\\\\", "n", "\\n a"}, 4);
  CHECK(tokenizer.encode("a\\n aa") == std::vector<std::int32_t>{1, 4, 1});
  CHECK(tokenizer.decode(std::vector<std::int32_t>{1, 4}, true) == "a\\n a");
  for (const std::int32_t type : {2, 6}) {
    CHECK(tests::refused_with([&] { load({"a", "b"}, type); }).find("tokenizer.ggml.token_type: token 2 is of type") !=
          std::string::npos);
  }
}

TEST_CASE("a token that Python writes otherwise is refused by its number") {
  for (const char* const token : {"\\", "\\q", "\\x", "\\x4", "\\xg0", "\\x 1", ""}) {
    CAPTURE(token);
    const std::string refusal = tests::refused_with([&] { load({"a", token, "[PAD]"}); });
    CHECK(refusal.find("tokenizer.ggml.tokens: token 2 is '" + std::string(token) + "'") != std::string::npos);
  }
  CHECK(tests::refused_with([&] { load({"a", "\\x61", "[PAD]"}); }).find("tokenizer.ggml.tokens") != std::string::npos);
}
