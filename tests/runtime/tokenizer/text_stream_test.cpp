// Stop strings against what the definition says of the whole text, however tokens cut it.
#include "runtime/tokenizer/text_stream.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "runtime/error.hpp"

using namespace monomorph;

namespace {

const Tokenizer& tokenizer() {
  static const Tokenizer gpt2 = Tokenizer::load(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/gpt2");
  return gpt2;
}

std::vector<std::int32_t> ids(const std::string& text) { return tokenizer().encode(text, false); }

/// What is shown after each of these tokens, and at the end.
std::vector<std::string> shown(const std::vector<std::int32_t>& tokens, std::vector<std::string> stop_strings) {
  TextStream stream(tokenizer(), std::move(stop_strings));
  std::vector<std::string> parts;
  for (const std::int32_t token : tokens) parts.push_back(stream.push(token));
  parts.push_back(stream.finish());
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

using Parts = std::vector<std::string>;

}  // namespace

TEST_CASE("without stop strings text is given as it is decoded") {
  const auto tokens = ids("that nation\xc3\xa9");
  CHECK(joined(shown(tokens, {})) == "that nation\xc3\xa9");
  CHECK(shown(ids("ab"), {}).back().empty());
}

TEST_CASE("a stop string within one token ends the text before it") {
  const std::string word = " nation";
  const auto token = ids(word);
  REQUIRE(token.size() == 1);
  TextStream stream(tokenizer(), {"ti"});
  CHECK(stream.push(token[0]) == " na");
  CHECK(stream.stopped());
  CHECK(stream.push(token[0]).empty());
  CHECK(stream.finish().empty());
}

TEST_CASE("a stop string that begins in one token and ends in another is never shown, and only its beginning waits") {
  // One token a character.
  const auto tokens = [](const std::string& text) {
    std::vector<std::int32_t> all;
    for (const char character : text) all.push_back(ids(std::string(1, character)).front());
    return all;
  };
  CHECK(shown(tokens("x</y</s>z"), {"</s>"}) == Parts{"x", "", "", "</y", "", "", "", "", "", ""});
  // What was held back comes when the stop string does not.
  CHECK(shown(tokens("a</s"), {"</s>"}) == Parts{"a", "", "", "", "</s"});
  // A beginning within a beginning.
  CHECK(shown(tokens("aabaaba"), {"aabaac"}).back() == "aaba");
  CHECK(shown(tokens("aabaabaac"), {"aabaac"}) == Parts{"", "", "", "", "", "aab", "", "", "", ""});
}

TEST_CASE("of several stop strings the first to end counts, and of those the first to begin") {
  const auto token = ids(" nation");
  REQUIRE(token.size() == 1);
  CHECK(joined(shown(token, {"atio", "ti"})) == " na");
  CHECK(joined(shown(token, {"ti", "ati", "i"})) == " n");
  CHECK(joined(shown(token, {"x", "on"})) == " nati");
}

TEST_CASE("a character that tokens cut is held back whole") {
  std::vector<std::int32_t> tokens = ids("\xe2\x82\xac");  // the euro sign, a token a byte or two
  REQUIRE(tokens.size() > 1);
  TextStream stream(tokenizer(), {"\xe2\x82\xac!"});
  for (const std::int32_t token : tokens) CHECK(stream.push(token).empty());
  CHECK(stream.finish() == "\xe2\x82\xac");
}

TEST_CASE("special tokens are no text") {
  auto tokens = ids("ab");
  tokens.push_back(*tokenizer().token_id("<|endoftext|>"));
  CHECK(joined(shown(tokens, {"<|"})) == "ab");
}

TEST_CASE("text and stop strings at random: what is given is what lies before the first that ends, as soon as it may") {
  std::mt19937_64 generator(3);
  const auto word = [&](std::size_t longest) {
    std::string text;
    for (std::size_t length = 1 + generator() % longest; length > 0; --length) text += "ab"[generator() % 2];
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::string text = word(20);
    const Parts stops{word(5), word(5), word(5)};
    CAPTURE(text);
    CAPTURE(stops[0]);
    CAPTURE(stops[1]);
    CAPTURE(stops[2]);
    TextStream stream(tokenizer(), stops);
    std::string given;
    for (std::size_t end = 1; end <= text.size() && !stream.stopped(); ++end) {
      given += stream.push(ids(text.substr(end - 1, 1)).front());
      // Straight from the definition: a stop string that ends here; else the earliest place where one may have begun.
      const std::string so_far = text.substr(0, end);
      std::size_t stopped_at = std::string::npos, may_begin = end;
      for (const std::string& stop : stops) {
        if (so_far.ends_with(stop)) stopped_at = std::min(stopped_at, end - stop.size());
        for (std::size_t at = 0; at < end; ++at) {
          if (stop.starts_with(so_far.substr(at))) may_begin = std::min(may_begin, at);
        }
      }
      REQUIRE(stream.stopped() == (stopped_at != std::string::npos));
      REQUIRE(given == so_far.substr(0, stream.stopped() ? stopped_at : may_begin));
    }
    const std::string rest = stream.finish();
    REQUIRE((stream.stopped() ? rest.empty() : given + rest == text));
  }
}

TEST_CASE("stop strings that cannot be are refused") {
  CHECK_THROWS_WITH_AS(TextStream(tokenizer(), {"a", ""}), "a stop string is empty; leave it out to stop nowhere",
                       Error);
  CHECK_THROWS_AS(TextStream(tokenizer(), {"\xff"}), Error);
}
