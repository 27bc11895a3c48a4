// The template language of templates/README.md, and what is refused, with its place.
#include "generator/emit/template.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "generator/diagnostics.hpp"

using namespace monomorph::generator;

namespace {

/// Templates by path, in place of those inside the generator.
using Texts = std::map<std::string, std::string>;

Template parsed(const Texts& texts) {
  return Template::parse("t/main.txt", [&](const std::string& path) -> std::string_view {
    const auto found = texts.find(path);
    if (found == texts.end()) throw InternalError("no text " + path);
    return found->second;
  });
}

std::string rendered(const std::string& text, const Holes& holes) {
  return parsed({{"t/main.txt", text}}).render(holes);
}

/// What parsing, and rendering with `holes`, is refused with.
std::string refusal(const Texts& texts, const Holes& holes) {
  try {
    parsed(texts).render(holes);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "nothing was refused";
}
std::string refusal(const std::string& text, const Holes& holes = {}) {
  return refusal(Texts{{"t/main.txt", text}}, holes);
}

const std::string flag = "//! zz_flag = { type = \"bool\", sample = true, is = \"a flag\" }\n";
const std::string word = "//! zz_word = { type = \"text\", sample = \"w\", is = \"a word\" }\n";
const std::string list =
    "//! zz_list = { type = \"list\", fields = [\"name\"], sample = [ { name = \"a\" } ], is = \"names\" }\n";

}  // namespace

TEST_CASE("lines are copied, and holes are filled where they stand") {
  CHECK(rendered(word + "a ${zz_word} b ${zz_word}\n\n  c\n", {{"zz_word", "x"}}) == "a x b x\n\n  c\n");
}

TEST_CASE("a doubled dollar stands for the brace that CMake uses") {
  CHECK(rendered(word + "$${A} ${zz_word} $${B}\n", {{"zz_word", "x"}}) == "${A} x ${B}\n");
}

TEST_CASE("conditions choose by flags, texts, lists and words") {
  const std::string text =
      flag + word + list +
      "//% if zz_flag and zz_word == yes\nboth\n//% elif not zz_flag or zz_list\nelif\n//% else\nelse\n"
      "//% end\n";
  const std::vector<Holes> some = {{{"name", "a"}}};
  const auto with = [&](bool is, const char* of, const std::vector<Holes>& items) {
    return rendered(text, {{"zz_flag", is}, {"zz_word", of}, {"zz_list", items}});
  };
  CHECK(with(true, "yes", {}) == "both\n");
  CHECK(with(true, "no", {}) == "else\n");
  CHECK(with(true, "no", some) == "elif\n");
  CHECK(with(false, "yes", {}) == "elif\n");
}

TEST_CASE("loops go over records, and into lists within them") {
  const std::string text =
      "//! zz_outer = { type = \"list\", fields = [\"name\", \"inner\"], sample = [], is = \"records\" }\n"
      "//% for o in zz_outer\n${o.name}:\n//% for i in o.inner\n  ${o.name}${i.name}\n//% end\n//% end\n";
  const std::vector<Holes> inner = {{{"name", "1"}}, {{"name", "2"}}};
  const std::vector<Holes> outer = {{{"name", "a"}, {"inner", inner}},
                                    {{"name", "b"}, {"inner", std::vector<Holes>()}}};
  CHECK(rendered(text, {{"zz_outer", outer}}) == "a:\n  a1\n  a2\nb:\n");
}

TEST_CASE("numbers become constants with their meaning, and are written so that they read back") {
  const std::string text =
      "//! zz_count = { type = \"uint\", sample = 1, is = \"how many\" }\n"
      "//! zz_eps = { type = \"float\", sample = 1.0, is = \"how small\" }\n"
      "//% constants\nzz_count zz_eps\n";
  CHECK(rendered(text, {{"zz_count", 67}, {"zz_eps", 1e-5}}) ==
        "const uint zz_count = 67;  // how many\nconst float zz_eps = 1e-05;  // how small\nzz_count zz_eps\n");
  CHECK(float_literal(1) == "1.0");
  CHECK(float_literal(0.1) == "0.1");
  CHECK(float_literal(1e300) == "1e+300");
}

TEST_CASE("a hole exists only where its condition holds") {
  const std::string text = flag +
                           "//! zz_word = { type = \"text\", sample = \"w\", is = \"a word\", when = \"zz_flag\" }\n" +
                           "//% if zz_flag\n${zz_word}\n//% end\n";
  CHECK(rendered(text, {{"zz_flag", true}, {"zz_word", "x"}}) == "x\n");
  CHECK(rendered(text, {{"zz_flag", false}}) == "");
  CHECK(refusal(text, {{"zz_flag", true}}) == "templates/t/main.txt:2:2: 'zz_word' was not given");
  CHECK(refusal(text, {{"zz_flag", false}, {"zz_word", "x"}}) ==
        "templates/t/main.txt: 'zz_word' was given, and has no hole");
}

TEST_CASE("an included template brings its declarations; the including file's samples count") {
  const Texts texts = {{"t/main.txt", "//! zz_word = { sample = \"outer\" }\n//% include \"part.txt\"\n"},
                       {"t/part.txt", word + "part ${zz_word}\n"}};
  const Template whole = parsed(texts);
  CHECK(whole.render(whole.samples()) == "part outer\n");
}

TEST_CASE("a hole that is not declared is refused at its line and column") {
  CHECK(refusal("a\n  b ${zz_missing}\n") == "templates/t/main.txt:2:5: 'zz_missing' is not declared");
}

TEST_CASE("a declared hole that nothing uses is refused at its declaration") {
  CHECK(refusal(flag + word + "//% if zz_flag\n//% end\n") ==
        "templates/t/main.txt:2:2: nothing uses the hole 'zz_word'");
}

TEST_CASE("a missing value, one left over and one of another type are refused") {
  CHECK(refusal(word + "${zz_word}\n") == "templates/t/main.txt:1:2: 'zz_word' was not given");
  CHECK(refusal(word + "${zz_word}\n", {{"zz_word", "x"}, {"zz_more", 1}}) ==
        "templates/t/main.txt: 'zz_more' was given, and has no hole");
  const std::string wrong = "templates/t/main.txt:1:2: 'zz_it' was given a value of the wrong type";
  const auto given = [&](const std::string& type, const HoleValue& value) {
    return refusal("//! zz_it = { type = " + type + ", sample = 1, is = \"it\" }\n//% if zz_it\n//% end\n",
                   {{"zz_it", value}});
  };
  CHECK(given("\"bool\"", 1) == wrong);
  CHECK(given("\"uint\"", -1) == wrong);
  CHECK(given("\"uint\"", std::int64_t{1} << 32) == wrong);
  CHECK(given("\"uint\"", 1.0) == wrong);
  CHECK(given("\"float\"", 1) == wrong);
  CHECK(given("\"float\"", std::numeric_limits<double>::infinity()) == wrong);
  CHECK(given("\"text\"", true) == wrong);
  CHECK(given("\"choice\", values = [\"a\", \"b\"]", "c") == wrong);
  CHECK(given("\"choice\", values = [\"a\", \"b\"]", "b") == "nothing was refused");
  CHECK(given("\"list\", fields = [\"name\"]", std::vector<Holes>{{{"name", "a"}, {"size", 1}}}) == wrong);
  CHECK(given("\"list\", fields = [\"name\"]", std::vector<Holes>{{{"size", 1}}}) == wrong);
}

TEST_CASE("a buffer is bound where it exists, in the order given, and nowhere else") {
  const Template text =
      parsed({{"t/main.txt", flag + "//! buffer.zz_rows = { view = \"float\", is = \"rows\" }\n"
                                    "//! buffer.zz_more = { view = \"vec4\", when = \"zz_flag\", is = \"more\" }\n"
                                    "zz_rows[0] zz_more[0]\n"}});
  const BufferUse rows{"zz_rows", "readonly"}, more{"zz_more", ""};
  const std::vector<Holes> bound = text.buffers({{"zz_flag", true}}, {more, rows});
  REQUIRE(bound.size() == 2);
  const auto word = [&](std::size_t index, const char* field) {
    return std::get<std::string>(bound[index].at(field).value);
  };
  CHECK(word(0, "name") == "zz_more");
  CHECK(word(0, "view") == "vec4");
  CHECK(word(1, "name") == "zz_rows");
  CHECK(word(1, "access") == "readonly");
  CHECK(std::get<std::int64_t>(bound[1].at("binding").value) == 2);
  const auto refused = [&](bool is, const std::vector<BufferUse>& uses) -> std::string {
    try {
      text.buffers({{"zz_flag", is}}, uses);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  CHECK(refused(false, {rows}) == "nothing was refused");
  CHECK(refused(true, {rows}) == "templates/t/main.txt:3:9: the buffer 'zz_more' is not bound");
  CHECK(refused(false, {rows, more}) == "templates/t/main.txt:3:9: 'zz_more' is bound where it does not exist");
  CHECK(refused(false, {rows, {"zz_other", ""}}) ==
        "templates/t/main.txt: the buffer 'zz_other' is bound, and not declared");
}

TEST_CASE("what does not parse is refused at its line") {
  CHECK(refusal(flag + "//% if zz_flag\nx\n") == "templates/t/main.txt:2:1: this 'if' has no 'end'");
  CHECK(refusal(list + "//% for i in zz_list\nx\n") == "templates/t/main.txt:2:1: this 'for' has no 'end'");
  CHECK(refusal(list + "//% for i of zz_list\nx\n//% end\n") == "templates/t/main.txt:2:1: expected: for ITEM in LIST");
  CHECK(refusal("x\n//% end\n") == "templates/t/main.txt:2:1: this closes nothing: //% end");
  CHECK(refusal("//% repeat\n") == "templates/t/main.txt:1:1: unknown directive 'repeat'");
  CHECK(refusal("a ${open\n") == "templates/t/main.txt:1:3: this hole has no '}'");
  CHECK(refusal("//! zz_it = { type = \"number\" }\n") == "templates/t/main.txt:1:1: unknown type of hole: 'number'");
  CHECK(refusal("//! zz_it = {\n").starts_with("templates/t/main.txt:1:"));
}

TEST_CASE("a loop over what is no list is refused at the loop") {
  CHECK(refusal(word + "//% for i in zz_word\n${i.name}\n//% end\n", {{"zz_word", "x"}}) ==
        "templates/t/main.txt:2:1: 'zz_word' is not a list");
}

TEST_CASE("a mistake in an included file is refused with that file's place") {
  const Texts texts = {{"t/main.txt", "//% include \"part.txt\"\n"}, {"t/part.txt", "a\n${zz_missing}\n"}};
  CHECK(refusal(texts, {}) == "templates/t/part.txt:2:1: 'zz_missing' is not declared");
}
