#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {

Utf8Step utf8_step(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {Utf8Step::Kind::character, 1};
  if (lead < 0xc2 || lead > 0xf4) return {Utf8Step::Kind::invalid, 1};
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF (Unicode, table 3-7).
  const unsigned lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {Utf8Step::Kind::incomplete, i};
    const bool fits = i == 1 ? byte(1) >= lowest && byte(1) <= highest : (byte(i) & 0xc0) == 0x80;
    if (!fits) return {Utf8Step::Kind::invalid, i};
  }
  return {Utf8Step::Kind::character, length};
}

std::string utf8_push(std::string& pending, std::string_view bytes) {
  pending += bytes;
  std::string complete;
  std::string_view rest = pending;
  while (!rest.empty()) {
    const Utf8Step step = utf8_step(rest);
    if (step.kind == Utf8Step::Kind::incomplete) break;
    complete += step.kind == Utf8Step::Kind::character ? rest.substr(0, step.length) : replacement_character;
    rest.remove_prefix(step.length);
  }
  pending = std::string(rest);
  return complete;
}

std::size_t utf8_error(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    if (step.kind != Utf8Step::Kind::character) return at;
    at += step.length;
  }
  return std::string_view::npos;
}

void append_utf8(char32_t point, std::string& text) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;  // bytes
  add((0xf00u >> (more + 1) & 0xffu) | point >> 6 * more);
  for (int i = more - 1; i >= 0; --i) add(0x80u | (point >> 6 * i & 0x3fu));
}

std::string replace_text(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, done)) {
    result.append(text.substr(done, at - done)).append(to);
    done = at + from.size();
  }
  return result.append(text.substr(done));
}

char32_t utf8_code_point(std::string_view text, std::size_t& length) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = byte(0);
  length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 1) return lead;
  char32_t point = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) point = point << 6 | (byte(i) & 0x3f);
  return point;
}

}  // namespace monomorph
