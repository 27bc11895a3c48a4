// Code of one level must not be linked into another's, where a processor may not run it: a unit of a level defines no
// symbol that the linker would take for another unit's of the same name.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "tests/support/run_command.hpp"

using namespace monomorph::tests;

namespace {

/// The level that an object is a unit of; empty where it is none.
std::string level_of(const std::string& object) {
  for (const char* level : {"x86_64_v4", "x86_64_v3", "x86_64", "aarch64", "portable"}) {
    if (object.starts_with(level)) return level;
  }
  return "";
}

}  // namespace

TEST_CASE("what others see of a unit is in its level's namespace, and not weak" * doctest::skip(MONOMORPH_SANITIZED)) {
  const CommandResult symbols = run_command({"nm", "--defined-only", "--format=posix", MONOMORPH_RUNTIME_LIBRARY});
  REQUIRE(symbols.status == 0);
  std::istringstream lines(symbols.output);
  std::string object;
  int units = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("]:")) object = line.substr(line.find('[') + 1);
    std::istringstream words(line);
    std::string name, type;
    words >> name >> type;
    const std::string level = level_of(object);
    if (level.empty() || type.size() != 1) continue;
    CAPTURE(object);
    CAPTURE(name);
    const bool of_the_level = name.find("3cpu" + std::to_string(level.size()) + level) != std::string::npos;
    const bool seen = (type == "R" || type == "D" || type == "T") && of_the_level;
    units += seen;
    CHECK((seen || std::islower(static_cast<unsigned char>(type[0])) != 0));
    CHECK(type != "u");  // unique over a whole process
  }
  CHECK(units > 0);
}
