#include "generator/spec/unclosed_string.hpp"

#include <algorithm>

namespace monomorph::generator {
namespace {

/// Behind the quotes that close what begins at `at`; npos: none do.
std::size_t end_of_string(const std::string& text, std::size_t at, const std::string& quotes) {
  const bool one_line = quotes.size() == 1, escapes = quotes.front() == '"';
  for (std::size_t i = at + quotes.size(); i < text.size(); ++i) {
    if (one_line && text[i] == '\n') return std::string::npos;
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (text.compare(i, quotes.size(), quotes) == 0) {
      i += quotes.size();
      // Of three quotes, as many as five: those before are the string's own.
      for (int more = 0; !one_line && more < 2 && i < text.size() && text[i] == quotes.front(); ++more) ++i;
      return i;
    }
  }
  return std::string::npos;
}

}  // namespace

std::optional<UnclosedString> find_unclosed_string(const std::string& text) {
  // Quotes have no other meaning outside of comments.
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"' || c == '\'') {
      const std::string quotes(text.compare(at, 3, std::string(3, c)) == 0 ? 3 : 1, c);
      const std::size_t end = end_of_string(text, at, quotes);
      if (end == std::string::npos) return UnclosedString{at, quotes};
      at = end;
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace monomorph::generator
