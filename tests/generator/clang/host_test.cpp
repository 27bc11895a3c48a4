// What the files of tests/cases/host do not show: places, headers of another version, flags.
#include <doctest/doctest.h>

#include "generator/clang/clang.hpp"
#include "tests/generator/check/host_model.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;
using namespace monomorph::generator;

namespace {

const std::string library_dir = MONOMORPH_SOURCE_DIR "/tests/cases/host/library";

Diagnostics check(const std::string& text, std::vector<std::string> flags = {}) {
  return check_host(
      {{"host.cpp", text, std::move(flags)}, test::host_model().include_dirs(), test::host_model().spec_hash});
}

}  // namespace

TEST_CASE("a file without mistakes has no diagnostics") {
  CHECK(check("#include \"tiny/forward.hpp\"\nint main() {}\n").all().empty());
}

TEST_CASE("a mistake is one sentence at the call, with the argument as its note") {
  const Diagnostics found = check(
      "#include \"tiny/forward.hpp\"\n"
      "void f(monomorph::Recorder& record, const tiny::LayerWeights& layer) {\n"
      "  using namespace tiny::buffers;\n"
      "  tiny::o_proj_add_prefill(record, layer.attention.o_proj, hidden_states, hidden_states);\n"
      "}\n");
  REQUIRE(found.all().size() == 1);
  const Diagnostic& diagnostic = found.all().front();
  CHECK(diagnostic.rule == "host.role");
  CHECK(diagnostic.span.source->name == "host.cpp");
  CHECK(diagnostic.span.line == 4);
  CHECK(diagnostic.span.column == 3);
  REQUIRE(diagnostic.notes.size() == 1);
  CHECK(diagnostic.notes[0].message == "argument 3 (attended)");
  CHECK(diagnostic.notes[0].span.column == 60);
}

TEST_CASE("where a reference does not bind, what is given is said first, then what is required") {
  const std::string includes = "#include <type_traits>\n#include \"tiny/model.hpp\"\n";
  for (const std::string given :
       {"logits", "std::remove_const_t<decltype(tiny::buffers::logits)>(tiny::buffers::logits)"}) {
    CAPTURE(given);
    const Diagnostics found =
        check(includes + "auto logits = tiny::buffers::logits;\n" +
              "std::remove_const_t<decltype(tiny::buffers::hidden_states)>& required = " + given + ";\n");
    REQUIRE(found.all().size() == 1);
    CHECK(found.all()[0].rule == "host.role");
    CHECK(found.all()[0].message ==
          "this tensor is logits (rows x vocab); hidden_states (tokens x hidden) is required here");
    CHECK(found.all()[0].span.line == 4);
  }
}

TEST_CASE("a header of another version of the spec is reported where it is included") {
  const Diagnostics found = check_host({{"host.cpp", "#include <vector>\n#include \"tiny/forward.hpp\"\n", {}},
                                        test::host_model().include_dirs(),
                                        "ffffffffffffffff"});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].rule == "host.stale_header");
  CHECK(found.all()[0].span.line == 2);
  CHECK(found.all()[0].message == "model.hpp was generated from another version of the spec (its hash is " +
                                      test::host_model().spec_hash +
                                      ", the spec's is ffffffffffffffff): generate it again");
}

TEST_CASE("headers that the user's own flags name come first") {
  const Diagnostics found = check("\n#include \"tiny/forward.hpp\"\n", {"-I" + library_dir});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].rule == "host.stale_header");
  CHECK(found.all()[0].message.find("forward.hpp was generated") == 0);
  CHECK(found.all()[0].span.source->name == "host.cpp");
  CHECK(found.all()[0].span.line == 2);
}

TEST_CASE("an assertion inside an emitted header is reported where the user's file made it fail") {
  for (const bool by_flag : {true, false}) {
    HostCheck host{
        {"host.cpp", "#include \"tiny/budget.hpp\"\n\ntiny::budget<300> cache;\n", {}}, {}, "0000000000000000"};
    if (by_flag) {
      host.input.flags.push_back("-I" + library_dir);
    } else {
      host.include_dirs.push_back(library_dir);
    }
    const Diagnostics found = check_host(host);
    REQUIRE(found.all().size() == 1);
    CHECK(found.all()[0].rule == "host.assertion");
    CHECK(found.all()[0].message == "at most 256 positions fit");
    CHECK(found.all()[0].span.source->name == "host.cpp");
    CHECK(found.all()[0].span.line == 3);
  }
}

TEST_CASE("what an implicit function of a header meets is reported where the user's file needed it") {
  const std::pair<std::string, std::string> mistakes[] = {
      {"void f() {\n  tiny::pages<300> cache;\n}\n", "at most 256 positions fit a page"},
      {"\nconstexpr tiny::pages<300> cache;\n", "at most 256 positions fit a page"},
      {"void f() {\n  tiny::filled_pages<300> cache;\n}\n", "at most 256 positions fill a page"}};
  for (const auto& [text, sentence] : mistakes) {
    CAPTURE(text);
    const Diagnostics found =
        check_host({{"host.cpp", "#include \"tiny/pages.hpp\"\n" + text, {}}, {library_dir}, "0000000000000000"});
    REQUIRE(found.all().size() == 1);
    CHECK(found.all()[0].message == sentence);
    CHECK(found.all()[0].span.source->name == "host.cpp");
    CHECK(found.all()[0].span.line == 3);
  }
}

TEST_CASE("a header edited by hand until it no longer fits is reported at its own line") {
  const Diagnostics found =
      check_host({{"host.cpp", "#include \"broken.hpp\"\n", {}}, {library_dir, MONOMORPH_SOURCE_DIR}, ""});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].span.source->name == library_dir + "/broken.hpp");
  CHECK(found.all()[0].span.line == 13);
  CHECK(found.all()[0].message == "this tensor is values (f32 rows); values (f16 rows) is required here");
}

TEST_CASE("warnings are no mistakes, and a result may be thrown away on purpose") {
  const Diagnostics found = check(
      "#include \"tiny/engine.hpp\"\n"
      "void f(tiny::Engine& engine) {\n  int unused;\n  static_cast<void>(engine.decode(1));\n}\n",
      {"-Wall", "-Wextra", "-Wno-flag-of-another-compiler"});
  CHECK(found.all().empty());
}

TEST_CASE("an error has its own notes, and none of the warning after it") {
  const Diagnostics found = check(
      "void f(int);\n"
      "void g(int a) {\n"
      "  f(undeclared_number);\n"
      "  if (a = 1) f(a);\n"
      "}\n",
      {"-Wall"});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].notes.empty());
  const Diagnostics alone = check("void f(int);\nvoid g() {\n  f(1, 2);\n}\n");
  REQUIRE(alone.all().size() == 1);
  CHECK(alone.all()[0].span.line == 3);
}

TEST_CASE("a folder beside the headers whose name begins like theirs is the user's") {
  const monomorph::tests::TemporaryDirectory place;
  place.write("headers/tiny.hpp", "");
  place.write("headers-of-mine/mine.hpp",
              "template <class T>\nvoid send(T) {\n  static_assert(sizeof(T) == 1, \"one byte\");\n}\n");
  const std::string mine = (place.path() / "headers-of-mine").string();
  const Diagnostics found = check_host({{"host.cpp", "#include \"mine.hpp\"\nvoid f() { send(1L); }\n", {"-I" + mine}},
                                        {(place.path() / "headers").string()},
                                        ""});
  REQUIRE(found.all().size() == 1);
  CHECK(found.all()[0].span.source->name == mine + "/mine.hpp");
  CHECK(found.all()[0].span.line == 3);
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
