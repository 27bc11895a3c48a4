// A unigram language model: of all ways to cut a word into pieces, the one of the largest sum of scores (Kudo 2018,
// "Subword Regularization"; the `tokenizers` library's order of search, which decides between equal sums).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "runtime/tokenizer/model.hpp"

namespace monomorph {

class Unigram : public TokenModel {
 public:
  Unigram() { byte_tokens.fill(no_token); }

  void add(const std::string& piece, std::int32_t token, double score);
  /// SentencePiece's user-defined piece, whose score follows from its length.
  void add_user_defined(const std::string& piece, std::int32_t token);
  std::int32_t unknown = no_token;
  bool byte_fallback = false;
  bool sentencepiece = false;  ///< sums of scores are rounded to f32, and the unknown is not looked up again
  ByteTokens byte_tokens;

  void encode(std::string_view word, std::vector<std::int32_t>& tokens) const override;

 private:
  struct Piece {
    std::int32_t token;
    double score;
  };
  void append_unknown(std::string_view piece, std::vector<std::int32_t>& tokens) const;

  std::unordered_map<std::string, Piece> pieces_;
  std::size_t longest_ = 0;       ///< of the pieces, in bytes
  std::optional<double> lowest_;  ///< of the scores
};

}  // namespace monomorph
