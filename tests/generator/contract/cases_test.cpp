// tests/cases/fail and pass: whole specs. A failing one says in its comments which errors it must give, and no others.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/generator/spec/spec_text.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> cases_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(MONOMORPH_SOURCE_DIR) / "tests/cases" / folder)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The lines "# expect: rule.id 12:5", or those with another mark.
std::vector<std::string> expected_errors(const std::string& text, const std::string& mark = "# expect: ") {
  std::vector<std::string> result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(mark, 0) == 0) result.push_back(line.substr(mark.size()));
  }
  return result;
}

std::string joined(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

}  // namespace

TEST_CASE("every failing case gives exactly the errors it states, at their places") {
  const std::vector<std::string> paths = cases_in("fail");
  REQUIRE(paths.size() >= 25);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const auto source = read_source(path);
    const std::vector<std::string> expected = expected_errors(source->text);
    REQUIRE_FALSE(expected.empty());
    const Judged judged = judge(source);
    CHECK_FALSE(judged.contract);
    CHECK(joined(errors_of(judged.diagnostics)) == joined(expected));
  }
}

TEST_CASE("every passing case passes, with the warnings that it states and no other") {
  const std::vector<std::string> paths = cases_in("pass");
  REQUIRE(paths.size() >= 10);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const auto source = read_source(path);
    const Judged judged = judge(source);
    INFO(render(judged.diagnostics));
    CHECK(judged.contract);
    CHECK(joined(errors_of(judged.diagnostics, Severity::warning)) ==
          joined(expected_errors(source->text, "# warning: ")));
  }
}

TEST_CASE("a spec cut off anywhere is refused or accepted, and never anything else") {
  const auto source = read_source(cases_in("pass").front());
  for (std::size_t length = 0; length < source->text.size(); ++length) {
    const Judged judged = judge(source->text.substr(0, length));
    CHECK(judged.contract.has_value() == !judged.diagnostics.has_errors());
  }
}
