// Code of one level must not be linked into another's, where a processor may not run it: a unit of a level defines no
// symbol that the linker would take for another unit's of the same name.
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "tests/support/run_command.hpp"

using namespace monomorph::tests;

namespace {

bool is_of_a_level(const std::string& object) {
  for (const char* name : {"x86_64.cpp.", "x86_64_v3.cpp.", "x86_64_v4.cpp.", "aarch64.cpp.", "portable.cpp."}) {
    if (object.starts_with(name)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a unit of a level defines its table and nothing that is weak" * doctest::skip(MONOMORPH_SANITIZED)) {
  const CommandResult symbols = run_command({"nm", "--defined-only", "--format=posix", MONOMORPH_RUNTIME_LIBRARY});
  REQUIRE(symbols.status == 0);
  std::istringstream lines(symbols.output);
  std::string object;
  int tables = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("]:")) object = line.substr(line.find('[') + 1);
    std::istringstream words(line);
    std::string name, type;
    words >> name >> type;
    if (!is_of_a_level(object) || type.size() != 1) continue;
    CAPTURE(object);
    CAPTURE(name);
    const bool table = type == "R" || type == "D";  // data that others see
    tables += table;
    CHECK((table || std::islower(static_cast<unsigned char>(type[0])) != 0));
    CHECK(type != "u");  // unique over a whole process
  }
  CHECK(tables > 0);
}
