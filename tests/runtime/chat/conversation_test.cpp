#include <doctest/doctest.h>

#include "runtime/chat/conversation.hpp"
#include "runtime/error.hpp"
#include "tests/support/refusal.hpp"

using namespace monomorph;

namespace {

std::string refusal(const std::string& json) {
  return tests::refused_with([&] { Conversation::parse(json, "talk.json"); });
}

}  // namespace

TEST_CASE("a conversation is written as it was read, with every key in its place") {
  const std::string json =
      R"([{"role":"system","content":"Be brief."},{"content":[{"type":"text","text":"caf\u00e9"}],"role":"user","n":0.1},)"
      R"({"role":"assistant","content":null,"tool_calls":[{"z":1,"a":9223372036854775807}]},)"
      R"({"role":"assistant","tool_calls":[]},{"role":"tool","content":"\u0000\n\"\\"}])";
  const Conversation conversation = Conversation::parse(json, "talk.json");
  CHECK(conversation.size() == 5);
  CHECK(conversation.last_role() == "tool");
  CHECK(conversation.system() == "Be brief.");
  const std::string written = conversation.json(true);
  CHECK(written.find("\n  {\n    \"role\": \"system\",") != std::string::npos);
  CHECK(Conversation::parse(written, "again").json() == conversation.json());
  CHECK(conversation.json().find(R"("content":[{"type":"text","text":"café"}],"role":"user","n":0.1})") !=
        std::string::npos);
  CHECK(Conversation::parse("[]", "none").empty());
  // What a template makes of them is its own affair.
  for (const std::string message : {R"([{"role":"tool","content":{"t":22}}])", R"([{"role":"tool","content":3}])",
                                    R"([{"role":"model","tool_responses":[]}])"}) {
    CHECK(Conversation::parse(message, "talk.json").json() == message);
  }
}

TEST_CASE("a file of messages that is malformed is refused by name and place") {
  CHECK(refusal("") ==
        "talk.json: this is no JSON: parse error at line 1, column 1: syntax error while parsing value - "
        "unexpected end of input; expected '[', '{', or a literal");
  CHECK(refusal("[\n{\"role\": }]").starts_with("talk.json: this is no JSON: parse error at line 2, column 10"));
  CHECK(refusal("{}") == "talk.json: a list of messages belongs here, not a JSON object");
  CHECK(refusal(R"([{"role":"user","content":""},"x"])") == "talk.json: message 2 is a JSON string, not an object");
  CHECK(refusal(R"([{"content":""}])") ==
        "talk.json: message 1: a \"role\" that is a text belongs here (\"system\", \"user\", \"assistant\")");
  CHECK(refusal(R"([{"role":1,"content":""}])").starts_with("talk.json: message 1: a \"role\""));
  CHECK(refusal(R"([{"role":"user"}])") == "talk.json: message 1: \"content\" is missing");
  for (const std::string number : {"9223372036854775808", "-9223372036854775809", "12345678901234567890123"}) {
    CHECK(refusal(R"([{"role":"user","content":"9223372036854775808 \"1\\","n":[1,)" + number + "]}]") ==
          "talk.json: " + number + " is larger than 64 bits hold");
  }
  CHECK(refusal(R"([{"role":"user","content":"\ud800"}])").starts_with("talk.json: this is no JSON"));
  CHECK(refusal(R"([{"role":"user","content":"","n":1e999}])")
            .starts_with("talk.json: this is no JSON: number overflow"));
  CHECK(refusal(std::string(200000, '[')) == "talk.json: lists and objects lie more than 100 deep");
}

TEST_CASE("the system message is set, replaced, and stays when the rest is forgotten") {
  Conversation conversation;
  CHECK_FALSE(conversation.system());
  conversation.add("user", "hello");
  conversation.set_system("one");
  conversation.set_system("two");
  CHECK(conversation.json() == R"([{"role":"system","content":"two"},{"role":"user","content":"hello"}])");
  conversation.reset();
  CHECK(conversation.json() == R"([{"role":"system","content":"two"}])");
  conversation.remove_system();
  conversation.remove_system();
  CHECK(conversation.empty());
  Conversation other;
  other.add("user", "hello");
  other.reset();
  CHECK(other.json() == "[]");
}

TEST_CASE("a message that is not UTF-8 is refused") {
  Conversation conversation;
  CHECK_THROWS_WITH_AS(conversation.add("user", "caf\xe9"), "the message is not UTF-8 at byte 3", Error);
  CHECK_THROWS_WITH_AS(conversation.set_system("\xff"), "the system message is not UTF-8 at byte 0", Error);
  CHECK(conversation.empty());
}

TEST_CASE("tools are a list of objects, variables are names with JSON") {
  CHECK(parse_tools("[ {\"b\": 1, \"a\": 2} ]", "t") == R"([{"b":1,"a":2}])");
  CHECK_THROWS_WITH_AS(parse_tools("[1]", "tools.json"), "tools.json: tool 1 is a JSON number, not an object", Error);
  CHECK(parse_variables({}) == "{}");
  CHECK(parse_variables({"b=false", "a=\"x=y\"", "b=[1]"}) == R"({"b":[1],"a":"x=y"})");
  for (const std::string& bad :
       {std::string("a"), std::string("=1"), std::string("a="), std::string("a=x"), std::string("a=1 2"),
        std::string("a=1e999"), std::string("\xff=1"), std::string("a=\"\xff\""), "a=" + std::string(200000, '['),
        std::string("tools=[]"), std::string("messages=[]"), std::string("add_generation_prompt=false")}) {
    INFO(bad.substr(0, 40));
    try {
      parse_variables({bad});
      FAIL("it was taken");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::environment);
      CHECK(std::string(error.what()).find("; write NAME=JSON: ") != std::string::npos);
    }
  }
}
