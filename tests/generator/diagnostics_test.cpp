#include "generator/diagnostics.hpp"

#include <doctest/doctest.h>

using namespace monomorph::generator;

namespace {

Span at(const std::string& text, int line, int column, int length) {
  return {std::make_shared<const Source>(Source{"a.toml", text}), line, column, length};
}

}  // namespace

TEST_CASE("a diagnostic shows its place, rule, source line and a caret under the span") {
  Diagnostics diagnostics;
  diagnostics.error("norm.eps_range", at("[norm]\neps = 12\n", 2, 7, 2), "eps is 12")
      .notes.push_back({"it is read here", at("[norm]\neps = 12\n", 1, 1, 6)});
  CHECK(render(diagnostics) ==
        "a.toml:2:7: error: eps is 12 [norm.eps_range]\n"
        "  eps = 12\n"
        "        ^~\n"
        "a.toml:1:1: note: it is read here\n"
        "  [norm]\n"
        "  ^~~~~~\n");
}

TEST_CASE("a place may be the file as a whole, or nowhere") {
  Diagnostics diagnostics;
  diagnostics.error("spec.missing_key", at("", 0, 0, 1), "no name");
  diagnostics.warning("x", {}, "careful");
  CHECK(render(diagnostics) == "a.toml: error: no name [spec.missing_key]\nwarning: careful [x]\n");
}

TEST_CASE("the caret stands under its character behind tabs, wide characters, a byte order mark and CRLF") {
  const auto caret_line = [](const std::string& text, int column, int length) {
    const std::string rendered = render(Diagnostic{Severity::error, "", "m", at(text, 1, column, length), {}});
    return rendered.substr(rendered.find('\n', rendered.find('\n') + 1) + 1);
  };
  CHECK(caret_line("\ta = 1\n", 6, 1) == "  \t    ^\n");
  CHECK(caret_line("\"\xC3\xA4\xC3\xB6\" = 1", 10, 1) == "         ^\n");
  CHECK(caret_line("\xEF\xBB\xBF"
                   "a = 1",
                   5, 1) == "      ^\n");
  CHECK(caret_line("a = 1\r\n", 5, 1) == "      ^\n");
  CHECK(caret_line("a = \"\xC3\xA4\"", 5, 4) == "      ^~~\n");
}

TEST_CASE("a span beyond its line or source does no harm") {
  CHECK(render(Diagnostic{Severity::error, "", "m", at("ab\n", 1, 90, 5), {}}) ==
        "a.toml:1:90: error: m\n  ab\n    ^\n");
  CHECK(render(Diagnostic{Severity::error, "", "m", at("ab\n", 9, 1, 1), {}}) == "a.toml:9:1: error: m\n");
}

TEST_CASE("control characters of an input do not reach the terminal") {
  CHECK(render(Diagnostic{Severity::error, "", "m", at("a\x1b[2Jb", 1, 1, 1), {}}).find('\x1b') == std::string::npos);
}

TEST_CASE("only errors make a result unacceptable") {
  Diagnostics diagnostics;
  diagnostics.advice("advice.x", {}, "unusual");
  diagnostics.warning("x", {}, "careful");
  CHECK_FALSE(diagnostics.has_errors());
  Diagnostics more;
  more.error("y", {}, "wrong");
  diagnostics.append(more);
  CHECK(diagnostics.has_errors());
  CHECK(diagnostics.all().size() == 3);
}

TEST_CASE("of a long line the part around the mistake is shown") {
  std::string text(5000, 'x');
  text.replace(3000, 5, "wrong");
  Diagnostics diagnostics;
  diagnostics.error("rule", {std::make_shared<const Source>(Source{"a.toml", text}), 1, 3001, 5}, "no");
  const std::string shown = render(diagnostics);
  CHECK(shown.size() < 600);
  const std::size_t line = shown.find("  x"), carets = shown.find('^');
  const std::size_t under = shown.find('\n', line) + 1;
  CHECK(shown.substr(line + (carets - under), 5) == "wrong");
}
