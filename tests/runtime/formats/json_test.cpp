#include "runtime/formats/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/error.hpp"

using namespace monomorph;
using Library = nlohmann::ordered_json;

namespace {

/// A list within lists.
std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}

JsonError error_of(const std::string& text, const JsonDepth& depth = {}) {
  try {
    Json::parse(text, depth);
  } catch (const JsonError& error) {
    return error;
  }
  FAIL("this was read: ", text);
  std::abort();
}

}  // namespace

TEST_CASE("a text is written again as the library writes it") {
  for (const std::string text : {"null",
                                 "true",
                                 "false",
                                 "0",
                                 "-0",
                                 "7",
                                 "-7",
                                 "18446744073709551615",
                                 "-9223372036854775808",
                                 "18446744073709551616",
                                 "1.0",
                                 "0.1",
                                 "1e-05",
                                 "1e300",
                                 "-2.5",
                                 "\"\"",
                                 "\"a\\\"\\\\\\n\\u0001 \\u00e4\"",
                                 "[]",
                                 "{}",
                                 "[1,[2,[]],{}]",
                                 "{\"b\":1,\"a\":[null,{\"c\":\"d\"}]}",
                                 " { \"a\" : 1 } ",
                                 "\"\\ud83d\\ude00\"",
                                 "{\"b\":1,\"a\":2,\"b\":{\"c\":3}}",
                                 "{\"c\":0,\"a\":1,\"b\":2,\"a\":3,\"b\":4,\"a\":5}"}) {
    CAPTURE(text);
    for (const int indent : {-1, 2}) CHECK(Json::parse(text).dump(indent) == Library::parse(text).dump(indent));
  }
  CHECK(Json(std::nan("")).dump() == "null");
}

TEST_CASE("what is wrong with a text, and where, is what the library says") {
  for (const std::string text :
       {"", "{", "[1,]", "{\"a\" 1}", "nul", "01", "1.", "\"a", "\"\\x\"", "\"\xC3\"", "\"\xFF\"", "[1] 2", "'a'",
        "NaN", "-Infinity", "[\n1,\n x]", "1e999", "[1,\n-1e999]", "\"\\ud800\""}) {
    CAPTURE(text);
    CHECK_FALSE(Json::try_parse(text));
    const JsonError error = error_of(text);
    try {
      [[maybe_unused]] const Library value = Library::parse(text);
      FAIL("the library reads it");
    } catch (const Library::parse_error& said) {
      CHECK(error.kind == JsonError::Kind::syntax);
      CHECK(error.byte == said.byte);
      CHECK(std::string(error.what()) == said.what());
    } catch (const Library::out_of_range& said) {
      CHECK(error.kind == JsonError::Kind::number);
      CHECK(std::string(error.what()) == said.what());
    }
  }
}

TEST_CASE("Python's words for what is no number of JSON become texts, but not within texts") {
  CHECK(with_words_quoted(R"({"a": [0.0, Infinity, -Infinity], "b": NaN})") ==
        R"({"a": [0.0, "Infinity", "-Infinity"], "b": "NaN"})");
  const std::string none = R"({"Infinity": "a \" NaN \\", "b": "-Infinity"})";
  CHECK(with_words_quoted(none) == none);
  CHECK(with_words_quoted(R"("\)") == R"("\)");
  CHECK(with_words_quoted(R"("\\",NaN)") == R"("\\","NaN")");
}

TEST_CASE("whole numbers of 64 bits are exact, and know whether they were read with a sign") {
  const Json list = Json::parse("[18446744073709551615, -9223372036854775808, 18446744073709551616, 3, -3, 3.0]");
  CHECK(list[0].unsigned_integer() == 18446744073709551615u);
  CHECK(list[1].integer() == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(list[2].is_integer());
  CHECK(list[2].real() == 18446744073709551616.0);
  CHECK((list[3].is_integer() && list[3].is_unsigned()));
  CHECK((list[4].is_integer() && !list[4].is_unsigned()));
  CHECK((list[5].is_number() && !list[5].is_integer()));
  CHECK(list[3] == list[5]);
  CHECK(list[3] == 3);
  CHECK(list[3] != list[4]);
  CHECK(Json(1) != Json(true));
  CHECK(Json("a") == "a");
  CHECK(Json() != "");
}

TEST_CASE("what lies deeper than allowed is left out, or refused") {
  const std::string text = "{\"a\":[1,[2,[3]],{\"b\":4}],\"c\":5}";
  CHECK(Json::parse(text, {.deepest = 2}).dump() == "{\"a\":[1,[],{}],\"c\":5}");
  CHECK(Json::parse(text, {.deepest = 1}).dump() == "{\"a\":[],\"c\":5}");
  CHECK(Json::parse(text, {.deepest = 4}).dump() == text);
  const JsonDepth refused = {.deepest = 100, .deeper = JsonDepth::Deeper::refused};
  CHECK(Json::parse(nested(101), refused).is_array());
  CHECK(error_of(nested(102), refused).kind == JsonError::Kind::depth);
  CHECK(error_of("{\"a\":" + nested(101) + "}", refused).kind == JsonError::Kind::depth);
}

TEST_CASE("a text of a million levels is read and let go") {
  CHECK(Json::parse(nested(1'000'000)).size() == 1);
  CHECK_FALSE(Json::try_parse(std::string(1'000'000, '[')));
}

TEST_CASE("a key that stands twice among many keeps its place") {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += "\"" + std::to_string(i * 7 % 1000) + "\":" + std::to_string(i) + ",";
  const Json object = Json::parse(text + "\"7\":-1}");
  CHECK(object.size() == 1000);
  CHECK(object.keys()[1] == "7");
  CHECK(object["7"] == -1);
  CHECK(object["14"] == 2);
}

TEST_CASE("values are made member by member") {
  Json json = Json::object({{"name", "x"}, {"sizes", std::vector<std::int64_t>{1, 2}}});
  json["inner"]["list"].push_back(Json::array({nullptr, true, 0.5}));
  json["name"] = Json::object();
  CHECK(json.dump() == R"({"name":{},"sizes":[1,2],"inner":{"list":[[null,true,0.5]]}})");
  const Json copy = json;
  json["inner"] = 1;
  CHECK(copy != json);
  CHECK(copy["inner"]["list"][0].size() == 3);
  CHECK(copy.find("other") == nullptr);
  CHECK(copy["sizes"].find("name") == nullptr);
  std::string keys;
  for (const auto& [key, value] : copy.members()) keys += key + "/" + value.type_name() + " ";
  CHECK(keys == "name/object sizes/array inner/object ");
}

TEST_CASE("a value that is asked for what it is not says so") {
  const Json number = 1;
  CHECK_THROWS_WITH_AS(number.string(), "JSON: a string is required of a JSON number", Error);
  CHECK_THROWS_WITH_AS(number["a"], "JSON: the key 'a' is required of a JSON number", Error);
  CHECK_THROWS_WITH_AS(Json::array()[0], "JSON: element 0 is required of a JSON array", Error);
  CHECK_THROWS_WITH_AS(Json("1").integer(), "JSON: a number is required of a JSON string", Error);
}

TEST_CASE("a text that is not UTF-8 is written only where it is repaired") {
  const Json text = "a\xFF";
  CHECK_THROWS_AS(text.dump(), std::exception);
  CHECK(text.dump_repaired() == "\"a\xEF\xBF\xBD\"");
}
