// WordLevel: each word is a token, or unknown.
#pragma once

#include <string>
#include <unordered_map>

#include "runtime/tokenizer/model.hpp"

namespace monomorph {

class WordLevel : public TokenModel {
 public:
  std::unordered_map<std::string, std::int32_t> words;
  std::int32_t unknown = no_token;

  void encode(std::string_view word, std::vector<std::int32_t>& tokens) const override {
    const auto found = words.find(std::string(word));
    if (found == words.end() && unknown == no_token) throw_unknown(word);
    tokens.push_back(found == words.end() ? unknown : found->second);
  }
};

}  // namespace monomorph
