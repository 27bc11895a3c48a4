#include "generator/spec/document.hpp"

#include <doctest/doctest.h>

#include "tests/generator/spec/spec_text.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph::generator;
using namespace monomorph::generator::testing;

namespace {

std::string place_of(const Span& span) {
  return std::to_string(span.line) + ":" + std::to_string(span.column) + "+" + std::to_string(span.length);
}

}  // namespace

TEST_CASE("every key and value knows its place in bytes, behind a byte order mark and with CRLF") {
  Diagnostics diagnostics;
  const auto root = parse_document(as_source("\xEF\xBB\xBF"
                                             "a = 1\r\n[b]\r\n\"\xC3\xA4.y\" = \"\xC3\xBC\"\r\nc.d = [1,\r\n 2]\r\n"),
                                   diagnostics);
  REQUIRE(root);
  CHECK(place_of(root->find("a")->key_span) == "1:1+1");
  CHECK(place_of(root->find("a")->value.span) == "1:5+1");
  const TomlValue& b = root->find("b")->value;
  CHECK(place_of(b.span) == "2:1+3");
  CHECK(place_of(b.find("\xC3\xA4.y")->key_span) == "3:1+6");
  CHECK(place_of(b.find("\xC3\xA4.y")->value.span) == "3:10+4");
  const TomlValue& d = b.find("c")->value.find("d")->value;
  CHECK(place_of(d.span) == "4:7+3");
  CHECK(d.items.size() == 2);
}

TEST_CASE("entries keep the order in which they were written") {
  Diagnostics diagnostics;
  const auto root = parse_document(as_source("z = 1\ny = 2\nx = 3\n"), diagnostics);
  REQUIRE(root);
  REQUIRE(root->entries.size() == 3);
  CHECK(root->entries[0].key == "z");
  CHECK(root->entries[2].key == "x");
}

TEST_CASE("a string that is not closed is told as that, where it begins") {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"a = \"b\"\nname = \"x\nsize = 3\n", "2:8+1", "\" belongs at its end, in the same line"},
      {"name = 'x\r\nother = 'y'\n", "1:8+1", "' belongs at its end, in the same line"},
      {"a = \"x\\\"\nb = 1\n", "1:5+1", "\" belongs at its end"},
      {"a = [\"x\", \"y]\nb = 1\n", "1:11+1", "\" belongs at its end"},
      {"\xEF\xBB\xBF"
       "a = \"x",
       "1:5+1", "\" belongs at its end"},
      {"a = 1 # it's\nb = \"\"\"x\n\nc = 'z'\n", "2:5+1", "\"\"\" belongs at its end"},
      {"a = '''x''\n", "1:5+1", "''' belongs at its end"},
  };
  for (const auto& [text, place, expected] : cases) {
    CAPTURE(text);
    Diagnostics diagnostics;
    CHECK_FALSE(parse_document(as_source(text), diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(place_of(diagnostics.all().front().span) == place);
    CHECK(diagnostics.all().front().message.find("a string that is not closed: " + expected) != std::string::npos);
  }
  Diagnostics diagnostics;
  CHECK_FALSE(parse_document(as_source("a = = 1\nb = \"x\n"), diagnostics));
  CHECK(diagnostics.all().front().span.line == 1);
  CHECK(diagnostics.all().front().message.find("not closed") == std::string::npos);
  CHECK(parse_document(as_source("a = \"\"\"x\"\"\"\"\"\nb = \"it's\" # \"\nc = ''\nd = \"\\\"\\\\\"\n"), diagnostics));
}

TEST_CASE("values of one line know their places, in whatever order they are asked for") {
  Diagnostics diagnostics;
  const auto root = parse_document(as_source("x = { b = \"\xC3\xBC\", c = [1, 22], a = 3 }\n"), diagnostics);
  REQUIRE(root);
  const TomlValue& x = root->find("x")->value;
  CHECK(place_of(x.find("b")->value.span) == "1:11+4");
  CHECK(place_of(x.find("c")->key_span) == "1:17+1");
  CHECK(place_of(x.find("c")->value.items[1].span) == "1:25+2");
  CHECK(place_of(x.find("a")->value.span) == "1:34+1");
}

TEST_CASE("tables that nest without end are refused, by dots and by braces") {
  const auto nested = [](int tables, int dots, const std::string& open, const std::string& close) {
    std::string key = "k";
    for (int i = 0; i < dots; ++i) key += ".k";
    std::string text;
    for (int i = 0; i < tables; ++i) text += (i == 0 ? "" : open) + key + " = ";
    text += "1";
    for (int i = 1; i < tables; ++i) text += close;
    return text + "\n";
  };
  for (const auto& text : {nested(1, 300, "", ""), nested(250, 150, "{", "}"), nested(120, 150, "[\n{", "}]"),
                           nested(120, 150, "[{}, {", "}]")}) {
    Diagnostics diagnostics;
    CHECK_FALSE(parse_document(as_source(text), diagnostics));
    REQUIRE(diagnostics.all().size() == 1);
    CHECK(diagnostics.all().front().message.find("more than 200 parts") != std::string::npos);
  }
  Diagnostics diagnostics;
  CHECK(parse_document(as_source(nested(20, 5, "{", "}")), diagnostics));
  std::string list = "x = [\n";
  for (int i = 0; i < 1000; ++i) list += "{ a.b.c = 1, d = \"{i}.x.y\" },  # of {this\n";
  CHECK(parse_document(as_source(list + "]\n"), diagnostics));
}

TEST_CASE("a file that is larger than any spec is not read") {
  const monomorph::tests::TemporaryDirectory directory;
  CHECK(read_source(directory.write("x.toml", std::string(256 << 10, ' ')))->text.size() == 256 << 10);
  CHECK_THROWS_WITH_AS(read_source(directory.write("x.toml", std::string((256 << 10) + 1, ' '))),
                       doctest::Contains("more than 256 KiB"), EnvironmentError);
}

TEST_CASE("text that is no UTF-8 is a diagnostic at its place") {
  Diagnostics diagnostics;
  CHECK_FALSE(parse_document(as_source("a = 1\nb = \"\xFF\"\n"), diagnostics));
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].rule == "spec.syntax");
  CHECK(diagnostics.all()[0].span.line == 2);
}

TEST_CASE("a key given twice is told with both places") {
  const auto said = [](const std::string& text) {
    const Judged judged = judge(text);
    REQUIRE(judged.diagnostics.all().size() == 1);
    const Diagnostic& error = judged.diagnostics.all().front();
    std::string result = place_of(error.span) + " " + error.message;
    for (const Note& note : error.notes) result += "\n" + place_of(note.span) + " " + note.message;
    return result;
  };
  CHECK(said("[model]\nname = \"a\"\nsize = 1\n  size = 2\n") ==
        "4:3+4 model.size is given twice; keep one of them\n3:1+4 first given here");
  CHECK(said("[a.x]\nk = 1\n[b]\nk = 1\n[a.y]\nk = \"\"\"\n[b]\n\"\"\"\n\"k\" = 3\r\n") ==
        "9:1+3 a.y.k is given twice; keep one of them\n6:1+1 first given here");
  CHECK(said("a.b.c = 1\n\"a\".b . c = 2 # twice\n") ==
        "2:1+9 a.b.c is given twice; keep one of them\n1:5+1 first given here");
  CHECK(said("[model]\nname = \"a\"\n[norm]\n[model] # again\nname = \"b\"\n") ==
        "4:1+7 [model] is given twice; keep its keys in one\n1:1+7 first given here");
  // What the key was before is said by the parser.
  CHECK(said("a = 1\n[b]\n[a.c]\n").ends_with("\n1:1+1 first given here"));
  // In an inline table the second place alone is known.
  CHECK(said("x = { a = 1, a = 2 }\n").find("first given here") == std::string::npos);
}

TEST_CASE("an override replaces a value, makes sections, and says where it came from") {
  Judged judged =
      judge(tiny, {{"engine.kv_cache", "f32"}, {"attention.head_dim", "32"}, {"mlp.activation", "x * sigmoid(2 * x)"}});
  REQUIRE(judged.contract);
  CHECK(judged.contract->kv_cache.keys == monomorph::Dtype::f32);
  CHECK(attention(judged.contract->kinds[0].kind).head_dim.value == 32);
  CHECK(attention(judged.spec->kinds[0]).head_dim.span.source->name == "--set attention.head_dim");
  CHECK(mlp(judged.spec->kinds[0]).activation.value == "x * sigmoid(2 * x)");
}

TEST_CASE("overrides are judged like the spec's own lines") {
  const Judged judged =
      judge(tiny, {{"attention.num_key_value_heads", "3"}, {"attention.num_heads", "4"}, {"model.name", "a\nb"}});
  const std::string text = render(judged.diagnostics);
  CHECK(text.find("--set attention.num_key_value_heads:1:33: error: 4 query heads cannot share 3") !=
        std::string::npos);
  CHECK(text.find("--set attention.num_heads:1:11: error: [attention] has no key num_heads") != std::string::npos);
  CHECK(text.find("[model.name]") != std::string::npos);
}

TEST_CASE("an override changes the hash of the spec") {
  CHECK(judge(tiny).spec->hash != judge(tiny, {{"attention.head_dim", "24"}}).spec->hash);
  CHECK(judge(tiny).spec->hash == judge(tiny).spec->hash);
  CHECK(judge(tiny).spec->hash.size() == 16);
}

TEST_CASE("an override can name a quoted key") {
  const Judged judged = judge(tiny, {{"checkpoint.tensors.\"layers.{i}.mlp.up\"", "up.{i}"}});
  REQUIRE(judged.contract);
  CHECK(dump_contract(*judged.contract).find("from up.{i}.weight") != std::string::npos);
}

TEST_CASE("strings and keys are written so that they read back") {
  const std::string awkward = "a\"b\\c\n\x7F\xC3\xA4";
  Diagnostics diagnostics;
  const auto root = parse_document(as_source(write_key(awkward) + " = " + write_string(awkward)), diagnostics);
  REQUIRE(root);
  REQUIRE(root->entries.size() == 1);
  CHECK(root->entries[0].key == awkward);
  CHECK(root->entries[0].value.string == awkward);
  CHECK(write_key("plain-key_1") == "plain-key_1");
}
