#include "generator/import/json_file.hpp"

#include <doctest/doctest.h>

#include "tests/support/temporary_directory.hpp"

using namespace monomorph::tests;
using namespace monomorph::generator;

namespace {

std::optional<JsonFile> read(const std::string& text, Diagnostics& diagnostics) {
  const TemporaryDirectory directory;
  return read_json_file(directory.write("config.json", text), diagnostics);
}

}  // namespace

TEST_CASE("every key of a JSON file knows its line and column") {
  Diagnostics diagnostics;
  const auto file = read("{\n  \"a\": 1,\n  \"rope\": { \"type\": \"x\",\n    \"fac\\\"tor\": 2 }\n}\n", diagnostics);
  REQUIRE(file);
  CHECK(file->span("a").line == 2);
  CHECK(file->span("a").column == 3);
  CHECK(file->span("a").length == 3);
  CHECK(file->span("rope.type").line == 3);
  CHECK(file->span("rope.type").column == 13);
  CHECK(file->span("rope.fac\"tor").line == 4);
  CHECK(file->span("rope.fac\"tor").column == 5);
  CHECK(file->span("rope.fac\"tor").length == 10);
  CHECK(file->span("nothing").line == 0);
}

TEST_CASE("a key given twice is an error that shows both places") {
  Diagnostics diagnostics;
  read("{\"a\": 1,\n \"a\": 2}", diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  const Diagnostic& error = diagnostics.all().front();
  CHECK(error.rule == "import.duplicate_key");
  CHECK(error.span.line == 2);
  REQUIRE(error.notes.size() == 1);
  CHECK(error.notes.front().span.line == 1);
}

TEST_CASE("the same key in two objects of a list is no duplicate") {
  Diagnostics diagnostics;
  CHECK(read("{\"list\": [{\"a\": 1}, {\"a\": 2}]}", diagnostics));
  CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("what is not JSON, or no object, is an error at its place") {
  const struct {
    const char* text;
    int line;
  } cases[] = {{"", 1},    {"{\n\"a\": 1,\n}", 3}, {"{\"a\": 1", 1},
               {"[1]", 1}, {"{\"a\": Nan}", 1},    {"{\"a\": 1e999}", 1}};
  for (const auto& [text, line] : cases) {
    CAPTURE(text);
    Diagnostics diagnostics;
    CHECK_FALSE(read(text, diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all().front().rule == "import.json");
    CHECK(diagnostics.all().front().span.line == line);
  }
}

TEST_CASE("a zero byte, where the parser takes a text to end, is an error at its place") {
  Diagnostics diagnostics;
  CHECK_FALSE(read(std::string("{}\n \0\"\xD6\":", 8), diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all().front().rule == "import.json");
  CHECK(diagnostics.all().front().span.line == 2);
  CHECK(diagnostics.all().front().span.column == 2);
}

TEST_CASE("values that nest without end are an error, and those of a string are none") {
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text = "{\"a\": ";
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text + "}";
  };
  for (const int depth : {200, 30'000}) {
    for (const auto& text : {nested(depth, "[", "]"), nested(depth, "{\"k\":", "}")}) {
      Diagnostics diagnostics;
      CHECK_FALSE(read(text, diagnostics));
      REQUIRE(diagnostics.all().size() == 1);
      CHECK(diagnostics.all().front().rule == "import.json");
      CHECK(diagnostics.all().front().span.column > 100);
    }
  }
  Diagnostics diagnostics;
  CHECK(read(nested(50, "[", "]"), diagnostics));
  CHECK(read("{\"a\": \"" + std::string(1000, '{') + "\"}", diagnostics));
}

TEST_CASE("a file that is not there is an environment error that names it") {
  Diagnostics diagnostics;
  CHECK_THROWS_WITH_AS(read_json_file("/nowhere/config.json", diagnostics), doctest::Contains("/nowhere/config.json"),
                       EnvironmentError);
}
