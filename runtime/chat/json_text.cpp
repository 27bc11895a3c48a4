#include "runtime/chat/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

// Far beyond what a conversation has; what is written of it later is written recursively.
constexpr int deepest = 100;

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

/// Of a text that is JSON: the library makes a double of a whole number that it cannot hold.
void judge_whole_numbers(std::string_view text, const std::string& name) {
  bool within_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (within_text && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      within_text = !within_text;
    } else if (!within_text && (text[at] == '-' || (text[at] >= '0' && text[at] <= '9'))) {
      const std::size_t end = std::min(text.find_first_not_of("+-.eE0123456789", at), text.size());
      const std::string_view number = text.substr(at, end - at);
      std::int64_t value = 0;
      if (number.find_first_of(".eE") == std::string_view::npos &&
          std::from_chars(number.begin(), number.end(), value).ec != std::errc()) {
        reject(fmt::format("{}: {} is larger than 64 bits hold", name, number));
      }
      at = end - 1;
    }
  }
}

}  // namespace

Json read_json(std::string_view text, const std::string& name) {
  try {
    Json json = Json::parse(text, {.deepest = deepest, .deeper = JsonDepth::Deeper::refused});
    judge_whole_numbers(text, name);
    return json;
  } catch (const JsonError& error) {
    if (error.kind == JsonError::Kind::depth) reject(fmt::format("{}: {}", name, error.what()));
    const std::string_view what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    reject(fmt::format("{}: this is no JSON: {}", name, what.substr(what.find("] ") + 2)));
  }
}

}  // namespace monomorph
