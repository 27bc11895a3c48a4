#include "generator/check/host.hpp"

#include <doctest/doctest.h>

#include "tests/generator/check/host_cases.hpp"

using namespace monomorph;

namespace {

using Lines = std::vector<std::pair<int, std::string>>;

Lines said_of(const test::HostCase& file) {
  Lines lines;
  const generator::Diagnostics said =
      generator::check_host_file("00112233aabbccdd", test::host_include_dirs(), file.path, {});
  for (const generator::Diagnostic& diagnostic : said.all()) {
    CHECK_MESSAGE(diagnostic.span.source->name == file.path, diagnostic.message);
    lines.emplace_back(diagnostic.span.line, diagnostic.message);
  }
  return lines;
}

std::string text(const Lines& lines) {
  std::string result;
  for (const auto& [line, sentence] : lines) result += std::to_string(line) + ": " + sentence + "\n";
  return result;
}

}  // namespace

TEST_CASE("every mistake of every file is said in the model's words at its line, and nothing else") {
  const auto cases = test::host_cases("fail");
  CHECK(cases.size() >= 16);
  for (const test::HostCase& file : cases) {
    CAPTURE(file.path);
    CHECK_FALSE(file.expected.empty());
    CHECK(text(said_of(file)) == text(file.expected));
  }
}

TEST_CASE("files without mistakes are accepted") {
  const auto cases = test::host_cases("pass");
  CHECK(cases.size() >= 2);
  for (const test::HostCase& file : cases) {
    CAPTURE(file.path);
    CHECK(text(said_of(file)) == "");
  }
}
