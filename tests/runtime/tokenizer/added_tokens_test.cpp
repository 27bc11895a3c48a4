// Added tokens in a text: the leftmost, of those the longest, and the search goes on behind whatever was found.
#include "runtime/tokenizer/added_tokens.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/tokenizer/tokenizer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;

namespace {

AddedToken token(std::int32_t id, const std::string& content) {
  return {id, content, false, false, false, false, false};
}
AddedToken single_word(std::int32_t id, const std::string& content) {
  return {id, content, true, false, false, false, false};
}

/// The pieces between bars, a token as its id.
std::string pieces(const std::vector<AddedToken>& tokens, std::string_view text) {
  AddedTokenMatcher matcher;
  for (const AddedToken& added : tokens) matcher.add(added);
  std::string joined;
  for (const AddedTokenMatcher::Piece& piece : matcher.split(text)) {
    joined += '|' + (piece.id >= 0 ? std::to_string(piece.id) : std::string(piece.text));
  }
  return joined;
}

}  // namespace

TEST_CASE("the longest token at a place is taken, whatever order they were added in") {
  CHECK(pieces({token(1, "<a"), token(2, "<a>")}, "x<a>y<a.") == "|x|2|y|1|.");
  CHECK(pieces({token(2, "<a>"), token(1, "<a")}, "x<a>y<a.") == "|x|2|y|1|.");
}

TEST_CASE("a single word is no token beside a letter, a digit or an underscore") {
  const std::vector<AddedToken> tokens = {single_word(1, "new")};
  CHECK(pieces(tokens, "new, (new) new") == "|1|, (|1|) |1");
  for (const char* text : {"newer", "renew", "new_", "_new", "new1", "1new", "\xc3\xa9new", "new\xc3\xa9",
                           "\xe4\xb8\xadnew", "\xf0\x90\x90\x80new", "new\xe4\xb8\xad", "new\u200d", "\u200cnew"}) {
    CHECK(pieces(tokens, text) == std::string("|") + text);
  }
  CHECK(pieces(tokens, "new\u00b2 \u00bdnew") == "|1|\u00b2 \u00bd|1");  // numbers, but no digits
}

// As the `tokenizers` library, 0.23.3, does it.
TEST_CASE("a token inside one that was rejected is not found") {
  CHECK(pieces({single_word(1, "<ab>"), token(2, "b>")}, "x<ab>y b>") == "|x<ab>y |2");
  CHECK(pieces({single_word(1, "<ab>"), token(2, "b>")}, " <ab> b>") == "| |1| |2");
}

TEST_CASE("many tokens that begin alike are found as fast as few") {
  AddedTokenMatcher matcher;
  for (int i = 0; i < 65'536; ++i) matcher.add(token(i, "<|s_" + std::to_string(i) + "|>"));
  const auto found = matcher.split(std::string(1'000'000, '<') + "<|s_65535|>");
  REQUIRE(found.size() == 2);
  CHECK(found[1].id == 65'535);
}

TEST_CASE("white space beside a token goes with it where the token says so, and never twice") {
  const AddedToken left{1, "<l>", false, true, false, false, false}, right{2, "<r>", false, false, true, false, false};
  CHECK(pieces({left, right}, "a  <l>  b") == "|a|1|  b");
  CHECK(pieces({left, right}, "a  <r>  b") == "|a  |2|b");
  CHECK(pieces({left, right}, "<r>  <l>") == "|2|1");
  CHECK(pieces({left, right}, " \xe2\x80\x83<l>") == "|1");
}

// As the `tokenizers` library, 0.23.3, does it.
TEST_CASE("a normalized token is looked for as it is when normalised, the others as they are written") {
  std::ifstream sound(MONOMORPH_SOURCE_DIR "/tests/runtime/tokenizer/cases/llama3/tokenizer.json");
  nlohmann::json file = nlohmann::json::parse(sound);
  file["normalizer"] = {{"type", "NFC"}};
  file["post_processor"] = nullptr;
  const auto add = [&](int id, const char* content, bool normalized) {
    file["added_tokens"].push_back({{"id", id}, {"content", content}, {"normalized", normalized}});
  };
  add(405, "cafe\xcc\x81", true);
  add(406, "the\xcc\x81", false);
  const tests::TemporaryDirectory directory;
  directory.write("tokenizer.json", file.dump());
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  const std::vector<std::int32_t> cafe{405}, the{406};
  CHECK(tokenizer.encode("caf\xc3\xa9") == cafe);
  CHECK(tokenizer.encode("cafe\xcc\x81") == cafe);
  CHECK(tokenizer.encode("the\xcc\x81") == the);
  CHECK(tokenizer.encode("th\xc3\xa9") != the);
}
