// Bytes that a terminal sends while a line is edited: characters, and what is pasted between the marks of bracketed
// paste, which is a text and no keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace monomorph::cli {

/// What makes a terminal put marks around what is pasted, and what ends that.
inline constexpr const char* marks_pastes = "\x1b[?2004h";
inline constexpr const char* marks_no_pastes = "\x1b[?2004l";

class TypedBytes {
 public:
  /// A character, U+FFFD for bytes that are none, or a text that was pasted, in which lines end in '\n' and the last
  /// ends in none.
  struct Input {
    bool pasted = false;
    std::wstring text;
  };

  void add(char byte) { bytes_ += byte; }

  /// Asked after each byte: what stands at the front; nothing where more bytes are needed. `all`: for now none follow,
  /// so that what may be the beginning of a mark is keys.
  std::optional<Input> take(bool all = false);

  /// The bytes may be the beginning of a mark, or keys: Escape alone is both.
  bool undecided() const;

  /// Whether bytes came, since it was asked before, that are no character.
  bool take_invalid();

 private:
  wchar_t cut_character(std::string_view& text);
  Input take_paste();

  std::string bytes_;
  bool pasting_ = false;
  bool invalid_ = false;
};

}  // namespace monomorph::cli
