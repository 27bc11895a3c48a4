// UTF-8 as the Unicode standard defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace monomorph {

/// What stands at the front of a text.
struct Utf8Step {
  enum class Kind {
    character,
    incomplete,  ///< the text ends within what may become a character
    invalid,     ///< the longest beginning of a character that cannot go on (at least one byte)
  };
  Kind kind;
  std::size_t length;
};
/// `text` is not empty.
Utf8Step utf8_step(std::string_view text);

inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";

/// Appends `bytes` to what `pending` kept of earlier ones and gives what is complete, every invalid sequence replaced
/// by one U+FFFD (the standard's recommended practice, and that of the Rust and Python libraries).
std::string utf8_push(std::string& pending, std::string_view bytes);

/// Position of the first byte that belongs to no character, or npos.
std::size_t utf8_error(std::string_view text);

/// The code point of the character at the front of `text`, which is valid; `length` is set to its bytes.
char32_t utf8_code_point(std::string_view text, std::size_t& length);

/// `text` with `to` wherever `from`, which is not empty, stood in it.
std::string replace_text(std::string_view text, std::string_view from, std::string_view to);

/// Appends the character of a code point that is one.
void append_utf8(char32_t point, std::string& text);

}  // namespace monomorph
