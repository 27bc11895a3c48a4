#include "runtime/tokenizer/utf8.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace monomorph;

namespace {

std::string written(char32_t point) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  const auto tail = [&](int shift) { return byte(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return {byte(point)};
  if (point < 0x800) return {byte(0xc0 | point >> 6), tail(0)};
  if (point < 0x10000) return {byte(0xe0 | point >> 12), tail(6), tail(0)};
  return {byte(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace

TEST_CASE("every code point is one valid character and is read back") {
  for (char32_t point = 0; point <= 0x10ffff; ++point) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const std::string text = written(point);
    std::size_t length = 0;
    const bool same =
        utf8_error(text) == std::string::npos && utf8_code_point(text, length) == point && length == text.size();
    if (!same) FAIL_CHECK("code point " << static_cast<std::uint32_t>(point));
  }
}

TEST_CASE("what is no character is found at its first byte") {
  CHECK(utf8_error("") == std::string::npos);
  CHECK(utf8_error("a\xc3\xa9z") == std::string::npos);
  CHECK(utf8_error("a\xc3") == 1);
  CHECK(utf8_error("ab\x80") == 2);
  CHECK(utf8_error("\xc0\x80") == 0);          // overlong
  CHECK(utf8_error("\xe0\x9f\xbf") == 0);      // overlong
  CHECK(utf8_error("\xed\xa0\x80") == 0);      // a surrogate
  CHECK(utf8_error("\xf4\x90\x80\x80") == 0);  // above U+10FFFF
}

TEST_CASE("bytes pushed in any portions give the same characters, each bad sequence one replacement") {
  const std::string bytes = "a\xc3\xa9\xe2\x82\xf0\x9f\x99\x82\xff\xe2\x82\xac\xf0\x9f";
  const std::string expected = "a\xc3\xa9\xef\xbf\xbd\xf0\x9f\x99\x82\xef\xbf\xbd\xe2\x82\xac";
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      std::string pending;
      const std::string_view view = bytes;
      std::string text = utf8_push(pending, view.substr(0, first));
      text += utf8_push(pending, view.substr(first, second - first));
      text += utf8_push(pending, view.substr(second));
      CHECK(text == expected);
      CHECK(pending == "\xf0\x9f");
    }
  }
}

TEST_CASE("a text is replaced wherever it stands, from the left, in time that grows as the text does") {
  CHECK(replace_text("", "a", "b") == "");
  CHECK(replace_text("aaa", "aa", "b") == "ba");
  CHECK(replace_text("a a  b", " ", "__") == "a__a____b");
  CHECK(replace_text("abab", "ab", "") == "");
  CHECK(replace_text(std::string(4'000'000, ' '), " ", "\u2581").size() == 12'000'000);
}

TEST_CASE("a code point is written as it is read") {
  for (const char32_t point : {0u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xd7ffu, 0xe000u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string text;
    append_utf8(point, text);
    std::size_t length = 0;
    CHECK(utf8_error(text) == std::string::npos);
    CHECK(utf8_code_point(text, length) == point);
    CHECK(length == text.size());
  }
}
