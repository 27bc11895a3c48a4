// The compilers themselves refuse the mistakes: the types do the work, the checker only finds better words.
#include <doctest/doctest.h>

#include <cstdio>
#include <set>

#include "tests/generator/check/host_cases.hpp"
#include "tests/generator/check/host_model.hpp"

using namespace monomorph;

namespace {

struct Outcome {
  bool accepted = false;
  std::set<int> error_lines;  ///< of the file itself
  std::string output;
};

Outcome compile(const std::string& compiler, const test::HostCase& file, const std::string& flags) {
  const std::string& path = file.path;
  std::string command = compiler + " -std=c++20 -fsyntax-only -fno-diagnostics-color " + flags;
  for (const std::string& flag : test::host_model(file.model).include_flags()) command += " '" + flag + "'";
  command += " '" + path + "' 2>&1";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
    const std::string line = buffer;
    outcome.output += line;
    const bool is_error =
        line.find(" error: ") != std::string::npos || line.find(" fatal error: ") != std::string::npos;
    if (is_error && line.compare(0, path.size() + 1, path + ":") == 0) {
      outcome.error_lines.insert(std::stoi(line.substr(path.size() + 1)));
    }
  }
  outcome.accepted = pclose(pipe) == 0;
  return outcome;
}

/// Of the files that hold mistakes, those at `first`, `first` + `step` and so on.
void refuses_mistakes(const std::string& compiler, const std::string& flags, std::size_t first, std::size_t step) {
  const std::vector<test::HostCase> files = test::host_cases("fail");
  for (std::size_t n = first; n < files.size(); n += step) {
    const test::HostCase& file = files[n];
    std::set<int> expected;
    for (const auto& [line, sentence] : file.expected) expected.insert(line);
    const Outcome outcome = compile(compiler, file, "-Werror=unused-result " + flags);
    CAPTURE(file.path);
    CAPTURE(outcome.output);
    CHECK_FALSE(outcome.accepted);
    CHECK(outcome.error_lines == expected);
  }
}

void accepts_what_is_right(const std::string& compiler) {
  for (const test::HostCase& file : test::host_cases("pass")) {
    const Outcome outcome = compile(compiler, file, "-Wall -Wextra -Werror");
    CAPTURE(outcome.output);
    CHECK(outcome.accepted);
  }
}

}  // namespace

// The compilers take turns. The test with the label "all" gives each the files of the other.
constexpr const char* gcc_all = "-fmax-errors=0";
constexpr const char* clang_all = "-ferror-limit=0";

TEST_CASE("GCC and Clang, in turn, refuse every mistake at its line and no other line") {
  refuses_mistakes(MONOMORPH_GCC, gcc_all, 0, 2);
  refuses_mistakes(MONOMORPH_CLANG, clang_all, 1, 2);
}

TEST_CASE("GCC and Clang refuse what the other one does" * doctest::skip()) {
  refuses_mistakes(MONOMORPH_GCC, gcc_all, 1, 2);
  refuses_mistakes(MONOMORPH_CLANG, clang_all, 0, 2);
}

TEST_CASE("GCC and Clang accept what is right, without a warning") {
  accepts_what_is_right(MONOMORPH_GCC);
  accepts_what_is_right(MONOMORPH_CLANG);
}
