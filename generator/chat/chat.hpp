// chat: a checkpoint's chat template, Jinja as transformers reads it, to the C++ of a function that renders it.
// Jinja2's own parser reads it, through python3 and python3-jinja2, when an engine is generated; the engine has no
// interpreter. What the compiler does not know it refuses with its line: what is compiled renders as Jinja2 does.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace monomorph::generator {

struct ChatSection;

struct ChatRefusal {
  int line = 0;  ///< of the template
  std::string why;
};

/// The lines of a function body that has `scope`, a runtime chat::Scope, and returns a std::string. No text of the
/// template stands in it outside of a literal.
using ChatBody = std::vector<std::string>;

/// Jinja2's tree of a template as JSON (parse_template.py). Throws EnvironmentError where python3 or Jinja2 is not
/// there.
std::string parse_chat_template(const std::string& text);

/// From a tree, as parse_chat_template gives it.
std::variant<ChatBody, ChatRefusal> compile_chat_tree(const std::string& tree);

/// What a spec's [chat] becomes: the body of a function, or why there is none; neither where it has no template.
struct CompiledChat {
  ChatBody body;
  std::vector<std::pair<std::string, std::string>> special_tokens;
  std::string refusal;
};
CompiledChat compile_chat(const ChatSection& chat);

/// `text` as a literal of C++.
std::string cpp_literal(const std::string& text);
/// The same as a std::string_view.
std::string cpp_text(const std::string& text);

}  // namespace monomorph::generator
