// What a tokenizer.json says, ready for use: the stages in the order in which a text passes them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/tokenizer/added_tokens.hpp"
#include "runtime/tokenizer/bpe.hpp"
#include "runtime/tokenizer/pre_tokenizer.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph {

struct Tokenizer::Data {
  AddedTokenMatcher raw_tokens;  ///< looked for in the text as given
  bool nfc = false;
  AddedTokenMatcher normalized_tokens;  ///< looked for in what normalisation gave
  std::vector<PreTokenizerStep> pre_tokenizer;
  Bpe bpe;
  std::vector<std::int32_t> prefix, suffix;  ///< what the post-processor's template adds

  struct Token {
    std::string bytes;    ///< what it decodes to
    bool exists = false;  ///< ids may have gaps
    bool special = false;
  };
  std::vector<Token> tokens;                          ///< by id
  std::unordered_map<std::string, std::int32_t> ids;  ///< by content, as tokenizer.json spells it

  /// The bytes of `id`; empty for what is no token, or special and skipped.
  std::string_view bytes(std::int32_t id, bool skip_special) const {
    if (id < 0 || id >= static_cast<std::int32_t>(tokens.size())) return {};
    const Token& token = tokens[static_cast<std::size_t>(id)];
    return skip_special && token.special ? std::string_view() : std::string_view(token.bytes);
  }
};

}  // namespace monomorph
