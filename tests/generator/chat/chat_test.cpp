// Compiled chat templates render what Jinja2 renders in transformers' environment (make_goldens.py).
#include <doctest/doctest.h>

#include <fstream>
#include <set>

#include "tests/generator/chat/rendering.hpp"

using namespace monomorph::generator;

namespace {

nlohmann::ordered_json read_json(const std::string& name) {
  std::ifstream in(std::string(MONOMORPH_SOURCE_DIR) + "/tests/generator/chat/" + name);
  REQUIRE_MESSAGE(in, name);
  return nlohmann::ordered_json::parse(in);
}

}  // namespace

TEST_CASE("compiled chat templates render what Jinja2 renders") {
  const nlohmann::ordered_json conversations = read_json("conversations.json");
  int texts = 0;
  for (const ChatCase& chat : chat_cases()) {
    if (chat.render == nullptr) continue;
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
