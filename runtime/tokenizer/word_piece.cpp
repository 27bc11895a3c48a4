#include "runtime/tokenizer/word_piece.hpp"

#include <algorithm>

namespace monomorph {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

void WordPiece::encode(std::string_view word, std::vector<std::int32_t>& tokens) const {
  const std::size_t before = tokens.size();
  bool is_spelt = std::ranges::count_if(word, [](char byte) { return !continues(byte); }) <= most_characters;
  for (std::size_t begin = 0; is_spelt && begin < word.size();) {
    std::size_t end = word.size();
    auto found = pieces.end();
    while (end > begin) {
      found = pieces.find((begin > 0 ? prefix : "") + std::string(word.substr(begin, end - begin)));
      if (found != pieces.end()) break;
      do --end;
      while (end > begin && continues(word[end]));
    }
    is_spelt = found != pieces.end();
    if (is_spelt) tokens.push_back(found->second);
    begin = end;
  }
  if (is_spelt) return;
  tokens.resize(before);
  if (unknown == no_token) throw_unknown(word);
  tokens.push_back(unknown);
}

}  // namespace monomorph
