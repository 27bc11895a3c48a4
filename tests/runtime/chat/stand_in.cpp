// Stands in for the compiled template: "<|begin|>", then a line a message, "role: content". It refuses two messages of
// one role in succession, as many templates do.
#include <nlohmann/json.hpp>

#include "runtime/chat/chat.hpp"
#include "runtime/engine.hpp"

namespace monomorph {

std::string render_chat(const Program&, const ChatInput& input) {
  const auto variables = nlohmann::json::parse(input.variables);
  std::string text = "<|begin|>";
  if (!input.tools.empty()) text += "tools: " + input.tools + "\n";
  std::string last;
  for (const auto& message : nlohmann::json::parse(input.messages)) {
    const auto role = message["role"].get<std::string>();
    if (role == last) throw Error(ErrorKind::rejected, "roles must alternate: " + role + " after " + role);
    last = role;
    text +=
        role.substr(0, 1) + ": " + (message["content"].is_string() ? message["content"].get<std::string>() : "") + "\n";
  }
  return text + (input.add_generation_prompt ? "a: " + variables.value("begin", "") : "");
}

}  // namespace monomorph
