#include "tests/generator/chat/rendering.hpp"

#include <algorithm>
#include <ctime>

#include "runtime/chat/print.hpp"
#include "runtime/error.hpp"

namespace monomorph::generator {

Rendering rendered(const ChatCase& chat, const nlohmann::ordered_json& variables) {
  std::tm local{};
  local.tm_year = 126, local.tm_mon = 2, local.tm_mday = 4;
  local.tm_hour = 5, local.tm_min = 6, local.tm_sec = 7, local.tm_isdst = -1;
  try {
    const monomorph::chat::Value all = monomorph::chat::parse_json(variables.dump(), "the variables");
    return {chat.render(monomorph::chat::Scope(*all.dict(), std::mktime(&local), 0)), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

std::string difference(const Rendering& rendering, const nlohmann::ordered_json& expected) {
  if (expected.is_object()) {
    return rendering.text ? "Jinja2 fails: " + expected.dump() + "\nours gives: " + *rendering.text : "";
  }
  const auto& text = expected.get_ref<const std::string&>();
  if (!rendering.text) return "ours fails: " + rendering.error + "\nJinja2 gives: " + text;
  if (*rendering.text == text) return "";
  const auto at = static_cast<std::size_t>(
      std::mismatch(text.begin(), text.end(), rendering.text->begin(), rendering.text->end()).first - text.begin());
  const std::size_t from = at < 40 ? 0 : at - 40;
  return "Jinja2: ..." + text.substr(from, 100) + "\nours:   ..." +
         rendering.text->substr(std::min(from, rendering.text->size()), 100);
}

}  // namespace monomorph::generator
