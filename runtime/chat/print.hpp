// Values as Python prints them, and as JSON.
#pragma once

#include "runtime/chat/value.hpp"

namespace monomorph::chat {

/// str(value)
std::string text_of(const Value& value);
/// Of a value that has to be a text; anything else is an error.
std::string required_text(const Value& value);
/// repr(value)
std::string representation(const Value& value);
/// repr of a float: the shortest digits that read back as it.
std::string float_text(double value);

/// How json.dumps writes.
struct JsonStyle {
  bool ensure_ascii = false;
  std::optional<std::string> indent{};  ///< of one level; nullopt: all on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool sort_keys = false;
};
std::string to_json(const Value& value, const JsonStyle& style);

/// The value that a JSON text is. Throws like read_json.
Value parse_json(std::string_view text, const std::string& what);

}  // namespace monomorph::chat
