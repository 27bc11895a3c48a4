#include "runtime/tokenizer/pattern.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/engine.hpp"
#include "runtime/tokenizer/pattern_syntax.hpp"

using namespace monomorph;

namespace {

std::string matches(const Pattern& pattern, std::string_view text) {
  std::string joined;
  for (const Pattern::Match match : pattern.find_all(text)) {
    joined += '[';
    joined += text.substr(match.begin, match.end - match.begin);
    joined += ']';
  }
  return joined;
}

}  // namespace

TEST_CASE("white space is Unicode's: U+0085 is, the Mongolian vowel separator is not") {
  const Pattern space = Pattern::regex("\\s");
  CHECK(space.find_all("\xc2\x85").size() == 1);
  CHECK(space.find_all("\xe1\xa0\x8e").empty());
  CHECK(Pattern::regex("[^\\s]").find_all("\xe1\xa0\x8e").size() == 1);
  CHECK(Pattern::regex("\\S").find_all("\xe1\xa0\x8e").size() == 1);
}

TEST_CASE("digits are Unicode's, inside a class too") {
  const std::string digits = "7\xd9\xa3\xe0\xa5\xaf";  // 7, Arabic-Indic three, Devanagari nine
  CHECK(matches(Pattern::regex("\\d+"), digits + "x") == "[" + digits + "]");
  CHECK(matches(Pattern::regex("[\\d]+"), digits + "x") == "[" + digits + "]");
  CHECK(matches(Pattern::regex("\\D+"), digits + "x") == "[x]");
}

TEST_CASE("case is folded beyond ASCII") { CHECK(matches(Pattern::regex("(?i)\xc3\xa9"), "\xc3\x89") == "[\xc3\x89]"); }

TEST_CASE("a combining mark belongs to a word") {
  CHECK(matches(Pattern::regex("\\w+"), "e\xcc\x81y z") == "[e\xcc\x81y][z]");
  CHECK(Pattern::regex("\\Be")
            .find_all("\xcc\x81"
                      "e")
            .size() == 1);
}

TEST_CASE("a literal pattern means its characters") { CHECK(matches(Pattern::literal(".*"), "a.*b..*") == "[.*][.*]"); }

TEST_CASE("an empty match after a match does not count") { CHECK(matches(Pattern::regex("a*"), "aab") == "[aa][]"); }

TEST_CASE("patterns that mean something else to PCRE2 are refused by name") {
  for (const char* const pattern :
       {"[a[bc]]", "[a&&b]", "\\h", "[\\h]", "\\R", "\\Qa\\E", "a{,3}", "\\p{N}{1,3}+", "a(?i)b", "(?m:.)", "[\\W]",
        "[[:alpha:]]", "(?<name>a)", "(*UTF)", "\\1", "[]a]", "a\\"}) {
    INFO(pattern);
    CHECK_THROWS_AS(pcre2_of_oniguruma(pattern), Error);
  }
}

TEST_CASE("a pattern that is no pattern is refused") { CHECK_THROWS_AS(Pattern::regex("(a"), Error); }

TEST_CASE("a match that outgrows the compiled code's stack is still found") {
  const std::string text(200'000, 'a');
  CHECK(Pattern::regex("(?:a|b)+").find_all(text).size() == 1);
}
