#include "runtime/tokenizer/post_processor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

using Tokens = std::vector<std::int32_t>;

/// How many tokens of texts the limit leaves room for.
std::size_t room_for_texts(const Template& pieces, std::int64_t max_tokens) {
  const std::int64_t special = std::ranges::count(pieces, false, &TemplatePiece::is_text);
  if (max_tokens < special) {
    throw Error(ErrorKind::rejected, fmt::format("max_tokens is {}, and the special tokens of this encoding are {} "
                                                 "alone; raise it to {} or more",
                                                 max_tokens, special, special));
  }
  return static_cast<std::size_t>(max_tokens - special);
}

void keep(Tokens& tokens, std::size_t count) {
  if (tokens.size() > count) tokens.resize(count);
}

void truncate(std::vector<Tokens>& texts, std::size_t room) {
  if (texts.size() == 1) return keep(texts[0], room);
  Tokens &first = texts[0], &second = texts[1];
  if (first.size() + second.size() <= room) return;
  // Of two texts of one length the library takes the first for the shorter, which loses the odd token.
  Tokens& shorter = first.size() <= second.size() ? first : second;
  Tokens& longer = &shorter == &first ? second : first;
  keep(shorter, room / 2);
  keep(longer, room - shorter.size());
}

}  // namespace

Template enclose(std::optional<std::int32_t> first, std::optional<std::int32_t> last) {
  Template result;
  if (first) result.push_back(special_token(*first, 0));
  result.push_back(text_tokens(0, 0));
  if (last) result.push_back(special_token(*last, 0));
  return result;
}

EncodedText fill(const Template& pieces, std::vector<Tokens> texts, std::optional<std::int64_t> max_tokens) {
  if (max_tokens) truncate(texts, room_for_texts(pieces, *max_tokens));
  EncodedText result;
  for (const TemplatePiece& piece : pieces) {
    if (piece.is_text()) {
      const Tokens& tokens = texts[piece.text];
      result.ids.insert(result.ids.end(), tokens.begin(), tokens.end());
    } else {
      result.ids.push_back(piece.token);
    }
    result.types.resize(result.ids.size(), piece.type);
  }
  return result;
}

}  // namespace monomorph
