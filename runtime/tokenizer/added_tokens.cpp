#include "runtime/tokenizer/added_tokens.hpp"

#include <fmt/format.h>

#include "runtime/tokenizer/pattern.hpp"
#include "runtime/tokenizer/pattern_syntax.hpp"

namespace monomorph {
namespace {

bool matches(const Pattern& pattern, std::string_view text) { return !pattern.find_all(text).empty(); }

bool ends_with_word(std::string_view text) {
  static const Pattern pattern = Pattern::regex(fmt::format("[{}]\\z", rust_word));
  // A character is at most four bytes.
  std::size_t from = text.size();
  while (from > 0 && text.size() - from < 4 && (from == text.size() || (text[from] & 0xc0) == 0x80)) --from;
  return matches(pattern, text.substr(from));
}

bool starts_with_word(std::string_view text) {
  static const Pattern pattern = Pattern::regex(fmt::format("\\A[{}]", rust_word));
  return matches(pattern, text);
}

std::size_t leading_space(std::string_view text) {
  static const Pattern pattern = Pattern::regex("\\A\\s+");
  const auto found = pattern.find_all(text);
  return found.empty() ? 0 : found[0].end;
}

/// Where the white space at the end begins.
std::size_t trailing_space(std::string_view text) {
  static const Pattern pattern = Pattern::regex("\\s++");
  const auto found = pattern.find_all(text);
  return found.empty() || found.back().end != text.size() ? text.size() : found.back().begin;
}

}  // namespace

void AddedTokenMatcher::add(const AddedToken& token) {
  contents_.add(token.content, static_cast<std::int32_t>(tokens_.size()));
  tokens_.push_back(token);
}

std::vector<AddedTokenMatcher::Piece> AddedTokenMatcher::split(std::string_view text) const {
  std::vector<Piece> pieces;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Trie::Found found = contents_.longest(text.substr(at));
    if (found.value == Trie::none) {
      ++at;
      continue;
    }
    const AddedToken* const token = &tokens_[static_cast<std::size_t>(found.value)];
    std::size_t begin = at;
    std::size_t end = at + found.length;
    at = end;  // whether or not the token counts, the search goes on behind it
    if (token->single_word && (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end)))) continue;
    if (token->lstrip) begin = done < begin ? done + trailing_space(text.substr(done, begin - done)) : done;
    if (token->rstrip) end += leading_space(text.substr(end));
    if (done < begin) pieces.push_back({text.substr(done, begin - done), -1});
    pieces.push_back({text.substr(begin, end - begin), token->id});
    done = end;
  }
  if (done < text.size()) pieces.push_back({text.substr(done), -1});
  return pieces;
}

}  // namespace monomorph
