#include <fmt/format.h>

#include "generator/chat/chat.hpp"
#include "generator/diagnostics.hpp"
#include "generator/spec/chat_section.hpp"

namespace monomorph::generator {

CompiledChat compile_chat(const ChatSection& chat) {
  CompiledChat compiled;
  if (chat.text.value.empty()) return compiled;
  compiled.special_tokens = chat.special_tokens;
  try {
    const auto result = compile_chat_tree(parse_chat_template(chat.text.value));
    if (const auto* refusal = std::get_if<ChatRefusal>(&result)) {
      compiled.refusal =
          fmt::format("line {} of its chat template has what is not compiled: {}", refusal->line, refusal->why);
    } else {
      compiled.body = std::get<ChatBody>(result);
    }
  } catch (const EnvironmentError& error) {
    compiled.refusal = error.what();
  }
  return compiled;
}

}  // namespace monomorph::generator
