// A tokenizer ready for use: the stages in the order in which a text passes them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/tokenizer/added_tokens.hpp"
#include "runtime/tokenizer/decoding.hpp"
#include "runtime/tokenizer/model.hpp"
#include "runtime/tokenizer/normalizer.hpp"
#include "runtime/tokenizer/post_processor.hpp"
#include "runtime/tokenizer/pre_tokenizer.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph {

struct Tokenizer::Data {
  AddedTokenMatcher raw_tokens;  ///< looked for in the text as given
  std::vector<NormalizerStep> normalizer;
  AddedTokenMatcher normalized_tokens;  ///< looked for in what normalisation gave
  std::vector<PreTokenizerStep> pre_tokenizer;
  bool is_byte_level = false;  ///< words are bytes, which tokens spell in GPT-2's alphabet
  std::unique_ptr<const TokenModel> model;
  std::int32_t model_size = 0;  ///< entries of its vocabulary in tokenizer.json
  PostProcessor post_processor;
  std::vector<DecodeStep> decoder;

  struct Token {
    std::string content;  ///< as the vocabulary has it
    bool exists = false;  ///< ids may have gaps
    bool special = false;
  };
  std::vector<Token> tokens;                          ///< by id
  std::unordered_map<std::string, std::int32_t> ids;  ///< by content

  /// Makes `id` a token. What is wrong with that; "": nothing.
  std::string define(std::int32_t id, const std::string& content);
  /// "<0x00>" to "<0xFF>".
  ByteTokens byte_tokens() const;

  /// The token of this id; null for what is no token, or special and skipped.
  const Token* find(std::int32_t id, bool skip_special) const {
    if (id < 0 || id >= static_cast<std::int32_t>(tokens.size())) return nullptr;
    const Token& token = tokens[static_cast<std::size_t>(id)];
    return !token.exists || (skip_special && token.special) ? nullptr : &token;
  }
};

}  // namespace monomorph
