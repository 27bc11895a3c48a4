#include "runtime/cli/typed_bytes.hpp"

#include <doctest/doctest.h>

using namespace monomorph::cli;

namespace {

/// Every input of bytes that come one by one; a paste stands between brackets.
std::wstring taken(TypedBytes& typed, const std::string& bytes) {
  std::wstring text;
  for (const char byte : bytes) {
    typed.add(byte);
    while (const auto input = typed.take()) text += input->pasted ? L"[" + input->text + L"]" : input->text;
  }
  return text;
}

}  // namespace

TEST_CASE("characters come one by one, and bytes that are none are told") {
  TypedBytes typed;
  CHECK(taken(typed, "na\xc3\xafve") == L"na\u00efve");
  CHECK_FALSE(typed.take_invalid());
  CHECK(taken(typed, "\xe9 x") == L"\ufffd x");
  CHECK(typed.take_invalid());
  CHECK_FALSE(typed.take_invalid());
}

TEST_CASE("between the marks of a paste everything is its text, in lines of its own") {
  TypedBytes typed;
  CHECK(taken(typed, "a\x1b[200~one\rtwo\r\nthree\n\x03\x1b[A\n\r\x1b[201~b") == L"a[one\ntwo\nthree\n\x03\x1b[A]b");
  CHECK(taken(typed, std::string("\x1b[200~\0x\x1b[201~", 14)) == L"[x]");
  CHECK(taken(typed, "\x1b[200~\x1b[201~") == L"[]");
  CHECK_FALSE(typed.take_invalid());
  CHECK(taken(typed, "\x1b[200~\xff\x1b[201~") == L"[\ufffd]");
  CHECK(typed.take_invalid());
}

TEST_CASE("what may begin a mark is keys where nothing follows") {
  TypedBytes typed;
  CHECK(taken(typed, "\x1b[A") == L"\x1b[A");
  CHECK_FALSE(typed.undecided());
  CHECK(taken(typed, "\x1b").empty());
  CHECK(typed.undecided());
  REQUIRE(typed.take(true));
  CHECK_FALSE(typed.undecided());
  CHECK(taken(typed, "\x1b[2").empty());
  CHECK(typed.take(true)->text == L"\x1b");
  CHECK(taken(typed, "~") == L"[2~");
}
