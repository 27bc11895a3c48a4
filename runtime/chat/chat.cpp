#include "runtime/chat/chat.hpp"

#include <fmt/format.h>

#include "runtime/chat/filters.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/engine.hpp"

namespace monomorph {

std::string render_chat(const Program& program, const ChatInput& input) {
  using namespace chat;
  if (program.chat_template == nullptr) {
    const std::string why = *program.chat_refusal == '\0' ? "its checkpoint has none" : program.chat_refusal;
    throw Error(
        ErrorKind::rejected,
        fmt::format("{} has no chat template that runs: {}; `run --prompt` continues a text", program.name, why));
  }
  const Value messages = parse_json(input.messages, "the messages");
  if (messages.sequence() == nullptr) fail("the messages are no list");
  const Value given = parse_json(input.variables, "the variables");
  if (given.dict() == nullptr) fail("the variables are no object");
  Dict variables = *given.dict();
  for (const auto& [name, value] : variables.entries) {
    if (knows_function(text_of(name))) fail(fmt::format("a variable has the name of the function '{}'", text_of(name)));
  }
  variables.set("messages", messages);
  variables.set("tools", input.tools.empty() ? Value(None{}) : parse_json(input.tools, "the tools"));
  if (variables.find("documents") == nullptr) variables.set("documents", None{});
  variables.set("add_generation_prompt", input.add_generation_prompt);
  const auto since = input.now.time_since_epoch();
  const std::int64_t microseconds = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  return program.chat_template(Scope(std::move(variables), microseconds / 1000000, microseconds % 1000000));
}

}  // namespace monomorph
