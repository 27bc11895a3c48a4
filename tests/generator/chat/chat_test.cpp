// Compiled chat templates render what Jinja2 renders in transformers' environment (make_goldens.py).
#include <doctest/doctest.h>

#include <fstream>
#include <map>

#include "tests/generator/chat/rendering.hpp"

using namespace monomorph::generator;

namespace {

nlohmann::ordered_json read_json(const std::string& name) {
  std::ifstream in(std::string(MONOMORPH_SOURCE_DIR) + "/tests/generator/chat/" + name);
  REQUIRE_MESSAGE(in, name);
  return nlohmann::ordered_json::parse(in);
}

/// Cases of what is refused by name: at their line when they are compiled, or when they are rendered.
const std::map<std::string, std::string> refused = {
    {"arguments_twice", "2: an argument that is given twice"},
    {"attr_filter", "1: the filter 'attr'"},
    {"autoescape_blocks", "1: a statement of the kind Scope"},
    {"big_integers", "1: the number 18446744073709551615 is larger than 64 bits hold"},
    {"blocks", "1: a statement of the kind Block"},
    {"cycler", "1: 'cycler'"},
    {"dict_copies", "1: the method 'fromkeys'"},
    {"encode", "1: the method 'encode'"},
    {"escape_filters", "2: the filter 'escape'"},
    {"filesizeformat", "1: the filter 'filesizeformat'"},
    {"groups", "1: the filter 'groupby'"},
    {"joiner", "1: 'joiner'"},
    {"lipsum", "1: 'lipsum'"},
    {"loop_recursive", "2: a recursive loop"},
    {"macros_rare", "3: the macro 'turn' as a value that is not called"},
    {"markup_strings", "1: the filter 'e'"},
    {"names_normalized", "2: the name '\uFB01' has letters that Python takes for others"},
    {"pprint", "1: the filter 'pprint'"},
    {"random", "1: the filter 'random'"},
    {"string_rare", "1: the method 'expandtabs'"},
    {"striptags", "1: the filter 'striptags'"},
    {"syntax_do", "1: Encountered unknown tag 'do'."},
    {"syntax_test_if", "1: expected token 'end of print statement', got 'messages'"},
    {"tests_arguments", "2: the function 'strftime_now' as a value that is not called"},
    {"tests_names", "1: the test 'filter'"},
    {"urlencode", "1: the filter 'urlencode'"},
    {"urlize", "1: the filter 'urlize'"},
    {"wordwrap", "1: the filter 'wordwrap'"},
    {"xmlattr", "1: the filter 'xmlattr'"},
};
const std::map<std::string, std::string> refused_later = {
    {"number_attributes", "the chat template: int.real is not known"},
    {"printing_callables", "the chat template: 'method' object is not callable"},
    {"safe_named", "the chat template: the filter 'truncate' of a text that is marked as safe"},
    {"string_format_specs", "the chat template: a field of a format has a width or type, which is not known"},
};

}  // namespace

TEST_CASE("what is not known is refused at its line, and nothing else is") {
  const nlohmann::ordered_json conversation = read_json("conversations.json").at(0);
  for (const ChatCase& chat : chat_cases()) {
    const std::string name = chat.name;
    CAPTURE(name);
    const auto expected = refused.find(name);
    CHECK((chat.render == nullptr) == (expected != refused.end()));
    if (chat.render == nullptr && expected != refused.end()) {
      CHECK(std::to_string(chat.line) + ": " + chat.why == expected->second);
    }
    if (refused_later.contains(name)) CHECK(rendered(chat, conversation).error == refused_later.at(name));
  }
}

TEST_CASE("compiled chat templates render what Jinja2 renders") {
  const nlohmann::ordered_json conversations = read_json("conversations.json");
  int texts = 0;
  for (const ChatCase& chat : chat_cases()) {
    if (chat.render == nullptr || refused_later.contains(chat.name)) continue;
    const nlohmann::ordered_json expected = read_json("expected/" + std::string(chat.name) + ".json");
    REQUIRE(expected.size() == conversations.size());
    for (std::size_t i = 0; i < conversations.size(); ++i) {
      const Rendering rendering = rendered(chat, conversations[i]);
      const std::string wrong = difference(rendering, expected[i]);
      CHECK_MESSAGE(wrong.empty(), std::string(chat.name) << ", conversation " << i << ":\n" << wrong);
      texts += rendering.text ? 1 : 0;
    }
  }
  CHECK(texts > 1000);
}
