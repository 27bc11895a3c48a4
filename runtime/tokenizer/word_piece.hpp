// WordPiece: the longest piece that a word begins with, then the longest that goes on, marked by a prefix (BERT's
// tokenization.py). A word that cannot be cut so is one unknown token.
#pragma once

#include <string>
#include <unordered_map>

#include "runtime/tokenizer/model.hpp"

namespace monomorph {

class WordPiece : public TokenModel {
 public:
  std::unordered_map<std::string, std::int32_t> pieces;
  std::string prefix = "##";           ///< of pieces that go on
  std::int64_t most_characters = 100;  ///< of a word; a longer one is unknown
  std::int32_t unknown = no_token;

  void encode(std::string_view word, std::vector<std::int32_t>& tokens) const override;
};

}  // namespace monomorph
