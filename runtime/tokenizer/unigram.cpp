#include "runtime/tokenizer/unigram.hpp"

#include <algorithm>

#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {

void Unigram::add(const std::string& piece, std::int32_t token, double score) {
  lowest_ = std::min(lowest_.value_or(score), score);
  pieces_[piece] = {token, score};
  longest_ = std::max(longest_, piece.size());
}

void Unigram::add_user_defined(const std::string& piece, std::int32_t token) {
  // unigram_model.cc: a tenth for each byte but one, as measured of 0.2.3; every other score is below zero.
  pieces_[piece] = {token, 0.1 * static_cast<double>(piece.size()) - 0.1};
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
  const auto offer = [&](std::size_t begin, std::size_t end, double score, std::int32_t token) {
    double total = score + ends[begin].score;
    if (sentencepiece) total = static_cast<double>(static_cast<float>(total));
    if (!ends[end].reached || total > ends[end].score) ends[end] = {total, begin, token, true};
  };
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t character = utf8_step(word.substr(begin)).length;
    bool is_spelt = false;  // a piece of this one character
    for (std::size_t length = 1; length <= std::min(longest_, word.size() - begin); ++length) {
      const auto found = pieces_.find(std::string(word.substr(begin, length)));
      if (found == pieces_.end()) continue;
      offer(begin, begin + length, found->second.score, found->second.token);
      is_spelt |= length == character;
    }
    if (!is_spelt) offer(begin, begin + character, lowest_.value_or(0) - unknown_penalty, unknown);
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
