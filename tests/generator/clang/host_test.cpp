// What the files of tests/cases/host do not show: places, headers of another version, flags.
#include <doctest/doctest.h>

#include <algorithm>

#include "generator/clang/clang.hpp"

using namespace monomorph::generator;

namespace {

const std::string source_dir = MONOMORPH_SOURCE_DIR;
const std::string model_dir = source_dir + "/tests/cases/host/include";
const std::string model_hash = "00112233aabbccdd";

Diagnostics check(const std::string& text, std::vector<std::string> flags = {}, const std::string& hash = model_hash) {
  return check_host({{"host.cpp", text, std::move(flags)}, {model_dir, source_dir}, hash});
}

}  // namespace

TEST_CASE("a file without mistakes has no diagnostics") {
  CHECK(check("#include \"tiny/forward.hpp\"\nint main() {}\n").all().empty());
}

TEST_CASE("a mistake is one sentence at the call, with the argument as its note") {
  const Diagnostics found = check(
      "#include \"tiny/forward.hpp\"\n"
      "void f(monomorph::Recorder& record, const tiny::LayerWeights& layer, const tiny::Buffers& b) {\n"
      "  tiny::o_proj_add_prefill(record, layer.o_proj, b.hidden_states, b.hidden_states);\n"
      "}\n");
  REQUIRE(found.all().size() == 1);
  const Diagnostic& diagnostic = found.all().front();
  CHECK(diagnostic.rule == "host.shape");
  CHECK(diagnostic.span.source->name == "host.cpp");
  CHECK(diagnostic.span.line == 3);
  CHECK(diagnostic.span.column == 3);
  REQUIRE(diagnostic.notes.size() == 1);
  CHECK(diagnostic.notes[0].message == "argument 3 (attended)");
  CHECK(diagnostic.notes[0].span.column == 50);
}

TEST_CASE("a header of another version of the spec is reported where it is included") {
  const Diagnostics found = check("#include <vector>\n#include \"tiny/forward.hpp\"\n", {}, "ffffffffffffffff");
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].rule == "host.stale_header");
  CHECK(found.all()[0].span.line == 2);
  CHECK(found.all()[0].message ==
        "model.hpp was generated from another version of the spec (its hash is 00112233aabbccdd, the spec's is "
        "ffffffffffffffff): generate it again");
}

TEST_CASE("an assertion inside a header is reported where the user's file made it fail") {
  const Diagnostics found = check_host({{"host.cpp",
                                         "#include \"budget.hpp\"\n\nbudget<300> cache;\n",
                                         {"-I" + source_dir + "/tests/cases/host/library"}},
                                        {model_dir, source_dir + "/tests/cases/host/library", source_dir},
                                        model_hash});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].rule == "host.assertion");
  CHECK(found.all()[0].message == "at most 256 positions fit");
  CHECK(found.all()[0].span.source->name == "host.cpp");
  CHECK(found.all()[0].span.line == 3);
}

TEST_CASE("a mistake that no line of the user's leads to is reported in the header itself") {
  const Diagnostics found = check_host({{"host.cpp", "#include \"broken.hpp\"\n", {}},
                                        {source_dir + "/tests/cases/host/library", source_dir},
                                        model_hash});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].span.source->name == source_dir + "/tests/cases/host/library/broken.hpp");
  CHECK(found.all()[0].message == "this tensor is f32 rows; f16 rows is required here");
}

TEST_CASE("the user's own include directories come first") {
  const Diagnostics found =
      check_host({{"host.cpp", "#include \"tiny/forward.hpp\"\n", {"-I" + source_dir + "/tests/cases/host/library"}},
                  {model_dir, source_dir},
                  model_hash});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].rule == "host.stale_header");
  CHECK(found.all()[0].message.find("forward.hpp was generated") == 0);
  CHECK(found.all()[0].span.source->name == "host.cpp");
  CHECK(found.all()[0].span.line == 1);
}

TEST_CASE("warnings are no mistakes, and a result may be thrown away on purpose") {
  const Diagnostics found = check(
      "#include \"tiny/forward.hpp\"\n"
      "void f(tiny::Sequence& sequence) {\n  int unused;\n  static_cast<void>(sequence.decode(1));\n}\n",
      {"-Wall", "-Wextra", "-Wno-flag-of-another-compiler"});
  CHECK(found.all().empty());
}

TEST_CASE("a flag that Clang does not know is reported without a line") {
  const Diagnostics found = check("int main() {}\n", {"--no-such-flag"});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].rule == "host.flags");
  CHECK(found.all()[0].message.find("--no-such-flag") != std::string::npos);
  CHECK(found.all()[0].span.line == 0);
}

TEST_CASE("a file that is not there is a failure of the environment that names it") {
  CHECK_THROWS_WITH_AS(check_host({{"/nowhere/host.cpp", std::nullopt, {}}, {}, ""}),
                       doctest::Contains("/nowhere/host.cpp"), EnvironmentError);
}
