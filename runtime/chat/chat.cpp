#include "runtime/chat/chat.hpp"

#include <fmt/format.h>

#include "runtime/chat/filters.hpp"
#include "runtime/chat/print.hpp"
#include "runtime/error.hpp"

namespace monomorph {
namespace chat {
namespace {

/// As transformers hands over a message with the reasoning before an answer, whichever of its names that has.
Value with_reasoning(const Value& message) {
  const Dict* const dict = message.dict();
  if (dict == nullptr) return message;
  const Value* reasoning = nullptr;
  for (const char* const name : {"reasoning_content", "thinking", "reasoning"}) {
    const Value* const found = dict->find(name);
    if (reasoning == nullptr && found != nullptr && !found->none()) reasoning = found;
  }
  if (reasoning == nullptr) return message;
  Dict result;
  result.set("thinking", *reasoning);
  for (const auto& [key, value] : dict->entries) result.set(key, value);
  result.set("reasoning_content", *reasoning);
  return result;
}

}  // namespace
}  // namespace chat

void need_chat_template(const Program& program) {
  if (program.chat_template != nullptr) return;
  const std::string reason = *program.chat_refusal == '\0' ? "" : fmt::format(" that runs: {}", program.chat_refusal);
  throw Error(
      ErrorKind::rejected,
      fmt::format("{} has no chat template{}; write the prompt yourself, with `run --prompt`", program.name, reason));
}

std::string render_chat(const Program& program, const ChatInput& input) {
  using namespace chat;
  need_chat_template(program);
  const Value given_messages = parse_json(input.messages, "the messages");
  if (given_messages.sequence() == nullptr) fail("the messages are no list");
  std::vector<Value> messages;
  for (const Value& message : given_messages.sequence()->elements) messages.push_back(with_reasoning(message));
  const Value given = parse_json(input.variables, "the variables");
  if (given.dict() == nullptr) fail("the variables are no object");
  Dict variables = *given.dict();
  for (const auto& [name, value] : variables.entries) {
    if (knows_function(text_of(name))) fail(fmt::format("a variable has the name of the function '{}'", text_of(name)));
  }
  variables.set("messages", list_of(std::move(messages)));
  variables.set("tools", input.tools.empty() ? Value(None{}) : parse_json(input.tools, "the tools"));
  if (variables.find("documents") == nullptr) variables.set("documents", None{});
  variables.set("add_generation_prompt", input.add_generation_prompt);
  const auto since = input.now.time_since_epoch();
  const std::int64_t microseconds = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  return program.chat_template(Scope(std::move(variables), microseconds / 1000000, microseconds % 1000000));
}

}  // namespace monomorph
