#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "generator/clang/clang.hpp"

using namespace monomorph::generator;

namespace {

struct Example {
  std::uint8_t flag;
  std::uint64_t seed;
  float weights[3];
  std::uint16_t last;
};

}  // namespace

TEST_CASE("a record's layout is the one that this program's compiler gives it") {
  const CppInput input{"example.hpp",
                       "#include <cstdint>\nnamespace tiny { struct Example { std::uint8_t flag; std::uint64_t seed; "
                       "float weights[3]; std::uint16_t last; }; }",
                       {}};
  const RecordLayout layout = record_layouts(input, {"tiny::Example"}).at("tiny::Example");
  CHECK(layout.size == sizeof(Example));
  CHECK(layout.alignment == alignof(Example));
  REQUIRE(layout.fields.size() == 4);
  CHECK(layout.fields[0].name == "flag");
  CHECK(layout.fields[1].offset == offsetof(Example, seed));
  CHECK(layout.fields[2].offset == offsetof(Example, weights));
  CHECK(layout.fields[2].size == sizeof(Example::weights));
  CHECK(layout.fields[3].offset == offsetof(Example, last));
}

TEST_CASE("records whose fields cannot all be seen are refused") {
  const CppInput input{
      "example.hpp", "struct Base { int a; }; struct Derived : Base { int b; }; struct Bits { int a : 3; };", {}};
  CHECK_THROWS_WITH_AS(record_layouts(input, {"Missing"}), doctest::Contains("Missing: no record of this name"),
                       InternalError);
  CHECK_THROWS_WITH_AS(record_layouts(input, {"Derived"}), doctest::Contains("Derived: has a base class"),
                       InternalError);
  CHECK_THROWS_WITH_AS(record_layouts(input, {"Bits"}), doctest::Contains("field a is a bit-field"), InternalError);
}
