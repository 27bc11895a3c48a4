// Emitted C++ is read by both compilers as a user's own build would, without a warning.
#include <doctest/doctest.h>

#include "tests/emission/emitted.hpp"
#include "tests/support/run_command.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

void compiles_without_a_warning(const std::string& compiler) {
  for (const EmissionModel& model : emission_models()) {
    const TemporaryDirectory directory;
    generator::generate(spec_path(model), {}, directory.path().string());
    std::vector<std::string> files = {"program.cpp", "main.cpp"};
    if (model.chats) files.push_back("chat.cpp");
    for (const std::string& file : files) {
      const CommandResult result = run_command({compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                                                "-I" + (directory.path() / "include").string(),
                                                "-I" MONOMORPH_SOURCE_DIR, (directory.path() / file).string()});
      CAPTURE(model.name);
      CAPTURE(file);
      INFO(result.output);
      CHECK(result.status == 0);
      CHECK(result.output == "");
    }
  }
}

}  // namespace

TEST_CASE("GCC compiles emitted C++ without a warning") { compiles_without_a_warning(MONOMORPH_GCC); }
TEST_CASE("Clang compiles emitted C++ without a warning") { compiles_without_a_warning(MONOMORPH_CLANG); }
