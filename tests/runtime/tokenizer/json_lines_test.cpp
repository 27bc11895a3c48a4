#include "runtime/tokenizer/json_lines.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "runtime/error.hpp"

using namespace monomorph;

namespace {

Tokenizer starcoder() { return Tokenizer::load(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/starcoder"); }

}  // namespace

TEST_CASE("each line becomes a line, and comes back") {
  const Tokenizer tokenizer = starcoder();
  std::istringstream texts("\" that\\n\\u00e9\"\n\"\"\n\"a\"");
  std::ostringstream ids;
  encode_lines(tokenizer, texts, ids);
  std::ostringstream again;
  std::istringstream lines(ids.str());
  decode_lines(tokenizer, lines, again);
  CHECK(again.str() ==
        "\"<|end|> that\\n\xc3\xa9<|endoftext|>\"\n\"<|end|><|endoftext|>\"\n\"<|end|> a<|endoftext|>\"\n");
}

TEST_CASE("a line that is no JSON string is rejected by its number, after those before it") {
  const Tokenizer tokenizer = starcoder();
  for (const char* const bad : {"text", "[1]", "", "\"open"}) {
    std::istringstream input(std::string("\"a\"\n").append(bad).append("\n"));
    std::ostringstream output;
    CHECK_THROWS_WITH_AS(encode_lines(tokenizer, input, output), doctest::Contains("line 2: a JSON string"), Error);
    CHECK(output.str().find('\n') == output.str().size() - 1);
  }
}

TEST_CASE("ids that are no token are rejected") {
  const Tokenizer tokenizer = starcoder();
  const std::string size = std::to_string(tokenizer.vocab_size());
  for (const std::string& bad :
       {std::string("[-1]"), std::string("[1.5]"), std::string("1"), std::string("[\"a\"]"), '[' + size + ']'}) {
    std::istringstream input(bad);
    std::ostringstream output;
    CHECK_THROWS_WITH_AS(decode_lines(tokenizer, input, output), doctest::Contains("line 1: a JSON list of ids"),
                         Error);
  }
}
