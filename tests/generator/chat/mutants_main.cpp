// mutants_main CONVERSATIONS.json FIRST PLACE...: renders the chat templates that emit_cases.cpp emitted, from the
// FIRST on, over the conversations at these places. Each gives a line, for check_mutants.py: what each conversation
// became,
// {"text": ...} or {"error": ...}; where the template is refused, {"refused": why}.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/generator/chat/rendering.hpp"

using namespace monomorph::generator;

int main(int, char** argv) {
  std::ifstream in(argv[1]);
  const auto conversations = nlohmann::ordered_json::parse(in);
  for (std::size_t i = std::strtoul(argv[2], nullptr, 10); i < chat_cases().size(); ++i) {
    const ChatCase& chat = chat_cases()[i];
    auto outcomes = nlohmann::ordered_json::array();
    if (chat.render == nullptr) {
      outcomes = {{"refused", chat.why}};
    } else {
      for (char** place = argv + 3; *place != nullptr; ++place) {
        const Rendering rendering = rendered(chat, conversations.at(std::strtoul(*place, nullptr, 10)));
        outcomes.push_back(rendering.text ? nlohmann::ordered_json{{"text", *rendering.text}}
                                          : nlohmann::ordered_json{{"error", rendering.error}});
      }
    }
    // Text that is none of Unicode's is shown with its replacement, which no expected text has in its place.
    std::cout << outcomes.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
  }
}
