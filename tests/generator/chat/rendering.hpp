// Rendering a template of the tests over a conversation.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/generator/chat/chat_case.hpp"

namespace monomorph::generator {

/// What a template gives for these variables, on 4 March 2026 at 5:06:07 local time; nothing, and why, where it fails.
struct Rendering {
  std::optional<std::string> text;
  std::string error;
};
Rendering rendered(const ChatCase& chat, const nlohmann::ordered_json& variables);

/// "" where it is what Jinja2 gave: a text, or {"error": why}; else the difference.
std::string difference(const Rendering& rendering, const nlohmann::ordered_json& expected);

}  // namespace monomorph::generator
