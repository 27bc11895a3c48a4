#include "runtime/tokenizer/charsmap.hpp"

#include <utf8proc.h>

#include <bit>
#include <cstring>

#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

// A unit of the trie (https://github.com/s-yata/darts-clone): bit 31 marks a leaf, whose other bits are its value; bits
// 0 to 7 are the label, bit 8 says that a leaf is below, the rest is the way down.
bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) == 1; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7fffffffu; }
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000ffu; }
std::uint32_t offset_of(std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200u) >> 6); }

}  // namespace

std::optional<Charsmap> Charsmap::read(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (size == 0 || size % 4 != 0 || size > bytes.size()) return std::nullopt;
  Charsmap result;
  result.trie_.resize(size / 4);
  std::memcpy(result.trie_.data(), bytes.data(), size);
  result.texts_ = bytes.substr(size);
  return result;
}

std::optional<Charsmap::Found> Charsmap::find(std::string_view text, bool longest) const {
  std::optional<Found> found;
  std::uint32_t node = offset_of(trie_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (node >= trie_.size() || label_of(trie_[node]) != byte) break;
    const std::uint32_t unit = trie_[node];
    node ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (node >= trie_.size() || value_of(trie_[node]) >= texts_.size()) break;  // a damaged table replaces nothing
    found = {std::string_view(texts_.c_str() + value_of(trie_[node])), i + 1};
    if (!longest) break;
  }
  return found;
}

std::string Charsmap::by_longest(std::string_view text, const Trie& kept) const {
  std::string result;
  while (!text.empty()) {
    if (const std::size_t length = kept.longest(text).length; length > 0) {
      result += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    const auto found = find(text, true);
    const std::size_t length = found ? found->length : utf8_step(text).length;
    result += found ? found->replacement : text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

std::string Charsmap::by_grapheme(std::string_view text) const {
  constexpr std::size_t longest_whole = 5;  // bytes
  std::string result;
  std::size_t begin = 0;
  utf8proc_int32_t state = 0;
  const auto replace = [&](std::string_view grapheme) {
    const auto whole = grapheme.size() <= longest_whole ? find(grapheme, false) : std::nullopt;
    if (whole) {
      result += whole->replacement;
      return;
    }
    for (std::size_t at = 0, length = 0; at < grapheme.size(); at += length) {
      length = utf8_step(grapheme.substr(at)).length;
      const std::string_view character = grapheme.substr(at, length);
      const auto found = find(character, false);
      result += found ? found->replacement : character;
    }
  };
  char32_t before = 0;
  for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
    const char32_t point = utf8_code_point(text.substr(at), length);
    if (at > 0 && utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                                   static_cast<utf8proc_int32_t>(point), &state)) {
      replace(text.substr(begin, at - begin));
      begin = at;
    }
    before = point;
  }
  replace(text.substr(begin));
  return result;
}

}  // namespace monomorph
