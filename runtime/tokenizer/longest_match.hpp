// RWKV's World tokenizer: from where the last token ended, the longest that the text goes on with
// (https://github.com/BlinkDL/ChatRWKV, rwkv_tokenizer.py).
#pragma once

#include "runtime/tokenizer/model.hpp"
#include "runtime/tokenizer/trie.hpp"

namespace monomorph {

class LongestMatch : public TokenModel {
 public:
  Trie tokens;  ///< by their bytes

  void encode(std::string_view word, std::vector<std::int32_t>& ids) const override {
    while (!word.empty()) {
      const auto [id, length] = tokens.longest(word);
      if (id == Trie::none) throw_unknown(word.substr(0, 1));
      ids.push_back(id);
      word.remove_prefix(length);
    }
  }
};

}  // namespace monomorph
