// A conversation as the text that a model was trained to read: the checkpoint's own chat template, which the generator
// compiled into the engine as a C++ function (generator/chat/). Equal to what transformers' apply_chat_template renders
// from the same template.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "runtime/program/program.hpp"

namespace monomorph {

/// What a template is rendered with.
struct ChatInput {
  std::string messages;               ///< JSON: a list of objects, as a rule with "role" and "content"
  std::string tools = "";             ///< JSON: a list; empty: none
  bool add_generation_prompt = true;  ///< ends where the model's answer begins
  std::string variables = "{}";       ///< JSON: an object of further variables ("enable_thinking")
  std::chrono::system_clock::time_point now = std::chrono::system_clock::now();  ///< of strftime_now, as local time
};

/// Throws Error(rejected) where the program has no chat template, with the reason and the remedy.
void need_chat_template(const Program& program);

/// The prompt. To be encoded without what the tokenizer's post-processor adds: the template writes what begins a text.
/// Throws Error(rejected) where the program has no template that runs, where `input` is not such JSON, and with the
/// template's own words where it refuses the conversation.
std::string render_chat(const Program& program, const ChatInput& input);

}  // namespace monomorph
