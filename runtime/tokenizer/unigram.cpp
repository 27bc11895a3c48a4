#include "runtime/tokenizer/unigram.hpp"

#include <algorithm>

#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {

void Unigram::add(const std::string& piece, std::int32_t token, double score) {
  lowest_ = pieces_.empty() ? score : std::min(lowest_, score);
  highest_ = std::max(highest_, score);
  pieces_[piece] = {token, score, false};
  longest_ = std::max(longest_, piece.size());
}

void Unigram::add_user_defined(const std::string& piece, std::int32_t token) {
  // unigram_model.cc, EncodeOptimized: a float less a double.
  const float of_length = static_cast<float>(piece.size()) * static_cast<float>(highest_);
  pieces_[piece] = {token, static_cast<double>(of_length) - 0.1, true};
  longest_ = std::max(longest_, piece.size());
}

void Unigram::append_unknown(std::string_view piece, std::vector<std::int32_t>& tokens) const {
  if (byte_fallback && spell_in_bytes(piece, byte_tokens, tokens)) return;
  if (unknown == no_token) throw_unknown(piece);
  tokens.push_back(unknown);
}

void Unigram::encode(std::string_view word, std::vector<std::int32_t>& tokens) const {
  constexpr double unknown_penalty = 10.0;  // below the lowest score
  struct End {                              ///< the best way to what ends here
    double score = 0.0;
    std::size_t begin = 0;
    std::int32_t token = no_token;
    bool reached = false;
  };
  std::vector<End> ends(word.size() + 1);
  const auto offer = [&](std::size_t begin, std::size_t end, double score, std::int32_t token, bool user_defined) {
    const double total = score + ends[begin].score;
    const double rounded = sentencepiece ? static_cast<double>(static_cast<float>(total)) : total;
    if (!ends[end].reached || (user_defined ? total : rounded) > ends[end].score) {
      ends[end] = {rounded, begin, token, true};
    }
  };
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t character = utf8_step(word.substr(begin)).length;
    bool is_spelt = false;  // a piece of this one character
    for (std::size_t length = 1; length <= std::min(longest_, word.size() - begin); ++length) {
      const auto found = pieces_.find(std::string(word.substr(begin, length)));
      if (found == pieces_.end()) continue;
      offer(begin, begin + length, found->second.score, found->second.token, found->second.user_defined);
      is_spelt |= length == character;
    }
    if (!is_spelt) offer(begin, begin + character, lowest_ - unknown_penalty, unknown, false);
    begin += character;
  }

  struct Found {
    std::string_view text;
    std::int32_t token;
  };
  std::vector<Found> way;  // from the end; unknown characters that follow each other are one
  for (std::size_t end = word.size(); end > 0; end = ends[end].begin) {
    const std::size_t begin = ends[end].begin;
    const std::int32_t token = ends[end].token;
    if (token == unknown && !way.empty() && way.back().token == unknown) {
      way.back().text = {word.data() + begin, way.back().text.size() + (end - begin)};
    } else {
      way.push_back({word.substr(begin, end - begin), token});
    }
  }
  for (auto found = way.rbegin(); found != way.rend(); ++found) {
    if (found->token == unknown) {
      // Unknown characters together may spell a piece, as the `tokenizers` library looks them up once more.
      const auto piece = pieces_.find(std::string(found->text));
      if (sentencepiece || piece == pieces_.end()) {
        append_unknown(found->text, tokens);
        continue;
      }
      tokens.push_back(piece->second.token);
    } else {
      tokens.push_back(found->token);
    }
  }
}

}  // namespace monomorph
