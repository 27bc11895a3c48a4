#include "runtime/cli/typed_bytes.hpp"

#include <string_view>
#include <utility>

#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::cli {
namespace {

constexpr std::string_view paste_begins = "\x1b[200~", paste_ends = "\x1b[201~";

/// As a terminal sends the lines of a paste, or whoever wrote them: "\r", "\r\n" or "\n".
std::string with_newlines(std::string_view text) {
  std::string result = replace_text(replace_text(text, "\r\n", "\n"), "\r", "\n");
  result.resize(result.find_last_not_of('\n') + 1);
  return result;
}

}  // namespace

bool TypedBytes::undecided() const { return !pasting_ && !bytes_.empty() && paste_begins.starts_with(bytes_); }

bool TypedBytes::take_invalid() { return std::exchange(invalid_, false); }

std::optional<TypedBytes::Input> TypedBytes::take(bool all) {
  if (!pasting_ && bytes_.starts_with(paste_begins)) {
    bytes_.erase(0, paste_begins.size());
    pasting_ = true;
  }
  if (pasting_) return bytes_.ends_with(paste_ends) ? std::optional(take_paste()) : std::nullopt;
  if (bytes_.empty() || (undecided() && !all)) return std::nullopt;
  if (utf8_step(bytes_).kind == Utf8Step::Kind::incomplete) return std::nullopt;
  std::string_view rest = bytes_;
  const Input input{false, {cut_character(rest)}};
  bytes_.erase(0, bytes_.size() - rest.size());
  return input;
}

wchar_t TypedBytes::cut_character(std::string_view& text) {
  const Utf8Step step = utf8_step(text);
  const bool valid = step.kind == Utf8Step::Kind::character;
  invalid_ = invalid_ || !valid;
  std::size_t length = step.length;
  const char32_t point = valid ? utf8_code_point(text, length) : U'\ufffd';
  text.remove_prefix(step.length);
  return static_cast<wchar_t>(point);
}

TypedBytes::Input TypedBytes::take_paste() {
  pasting_ = false;
  bytes_.resize(bytes_.size() - paste_ends.size());
  // No line that is edited holds a zero: it would end there.
  const std::string text = replace_text(with_newlines(std::exchange(bytes_, {})), std::string_view("\0", 1), "");
  std::wstring characters;
  for (std::string_view rest = text; !rest.empty();) characters += cut_character(rest);
  return {true, std::move(characters)};
}

}  // namespace monomorph::cli
