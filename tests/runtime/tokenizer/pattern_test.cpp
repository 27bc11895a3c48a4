#include "runtime/tokenizer/pattern.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/error.hpp"
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

TEST_CASE("case is folded beyond ASCII: the Kelvin sign and the long s are letters of English too") {
  CHECK(matches(Pattern::regex("(?i:[k-s]+)"), "Kk\u212a\u017fS") == "[Kk\u212a\u017fS]");
  CHECK(matches(Pattern::regex("(?i:'s|'t|'re|'ve|'m|'ll|'d)"), "'S'\u017f'LL'x") == "['S]['\u017f]['LL]");
  CHECK(matches(Pattern::regex("s(?i:s|t)"), "sSST") == "[sS]");
}

TEST_CASE("a script is the characters of that script alone, not those it shares") {
  CHECK(matches(Pattern::regex("\\p{Han}+"), "\u65e5\u3002") == "[\u65e5]");
  CHECK(matches(Pattern::regex("[\\p{Hiragana}\\p{katakana}]+"), "\u3042\u30a2\u30fc\u3002") == "[\u3042\u30a2]");
  CHECK(matches(Pattern::regex("\\p{^Greek}+"), "\u03a9\u0342") == "[\u0342]");
  CHECK(matches(Pattern::regex("\\P{^Greek}+"), "\u03a9\u0342") == "[\u03a9]");
  CHECK(matches(Pattern::regex("\\P{Greek}+"), "\u03a9\u0342") == "[\u0342]");
}

TEST_CASE("general categories and properties are no scripts, and are read however they are written") {
  CHECK(matches(Pattern::regex("\\p{Sc}\\p{lu}\\p{White_Space}\\p{Alphabetic}"), "$A b") == "[$A b]");
}

TEST_CASE("superscripts and fractions of Latin-1 belong to a word, not to a class of words") {
  CHECK(matches(Pattern::regex("\\w+"), "a\u00b2\u00bd\u2070b") == "[a\u00b2\u00bd][b]");
  CHECK(matches(Pattern::regex("\\W+"), "a\u00b2\u00bd\u2070b") == "[\u2070]");
  CHECK(matches(Pattern::regex("[\\w]+"), "a\u00b2\u00bdb") == "[a][b]");
  CHECK(matches(Pattern::regex("\\b."), "a\u00b2b") == "[a]");
}

TEST_CASE("a class within a class joins it, whatever stands beside it") {
  CHECK(matches(Pattern::regex(" ?[^(\\s|[.,!?\u2026\u3002])]+"), "ab. c(d|e)\u3002f^") == "[ab][ c][d][e][f^]");
  CHECK(matches(Pattern::regex("[a[^bc]]+"), "abcd^\u65e5") == "[a][d^\u65e5]");
  CHECK(matches(Pattern::regex("[^a[^bc]]+"), "abcd^\u65e5") == "[bc]");
  CHECK(matches(Pattern::regex("[a[-b]z-]+"), "ab-cyz") == "[ab-][z]");
  CHECK(matches(Pattern::regex("[a[x^]^]+"), "bx^a") == "[x^a]");
}

TEST_CASE("'&&' in a class leaves what both sides have") {
  CHECK(matches(Pattern::regex("[\\p{Lo}\\p{L}&&[^\\p{Han}]]+"), "a\u65e5\u3042b") == "[a][\u3042b]");
  CHECK(matches(Pattern::regex("[^a-z&&[^b]]+"), "abc-") == "[b][-]");
  CHECK(matches(Pattern::regex("[a-z&&b-y&&c-x]++"), "abcxyz") == "[cx]");
  CHECK(matches(Pattern::regex("[a&b]+"), "a&b^") == "[a&b]");
}

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
  for (const char* const pattern : {"\\p{L&}",
                                    "\\p{Script=Han}",
                                    "\\p{sc=Han}",
                                    "\\p{sc:Han}",

                                    "\\pL",
                                    "a{2}?",
                                    "\\xe9",
                                    "[\\xe9]",
                                    "\\x4",
                                    "\\x{}",
                                    "\\u00g0",
                                    "[a-[b]]",
                                    "[[a]-z]",
                                    "[a&&-b]",
                                    "[a&&]",
                                    "[&&a]",
                                    "[[]a]",
                                    "[a",
                                    "[a[b]",
                                    "[[[[[[[[[a]]]]]]]]]",
                                    "(?i:ss)",
                                    "(?i:(?:S)s)",

                                    "(?i:fi)",
                                    "(?i:ff)",
                                    "(?i:fl)",
                                    "(?i:[\\p{L}])",
                                    "(?i:[a-z&&[^s]])",
                                    "(?i:\\x73)",
                                    "(?i)\xc3\xa9",
                                    "(?i:[\xc3\xa0-\xc3\xbf])",
                                    "\\h",
                                    "[\\h]",
                                    "\\R",
                                    "\\Qa\\E",
                                    "a{,3}",
                                    "\\p{N}{1,3}+",
                                    "a(?i)b",
                                    "(?m:.)",
                                    "[\\W]",
                                    "[[:alpha:]]",
                                    "(?<name>a)",
                                    "(*UTF)",
                                    "\\1",
                                    "[]a]",
                                    "a\\"}) {
    INFO(pattern);
    CHECK_THROWS_AS(pcre2_of_oniguruma(pattern), Error);
  }
}

TEST_CASE("a pattern that is no pattern is refused") {
  for (const char* const pattern : {"(a", "a)", "\\p{Nowhere}", "\\p{Xan}"})
    CHECK_THROWS_AS(Pattern::regex(pattern), Error);
}

TEST_CASE("a match that outgrows the compiled code's stack is still found") {
  const std::string text(200'000, 'a');
  CHECK(Pattern::regex("(?:a|b)+").find_all(text).size() == 1);
}
