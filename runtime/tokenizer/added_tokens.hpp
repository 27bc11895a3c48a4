// Added tokens: texts that are one token wherever they stand, found before anything else looks at the text. Those
// marked `normalized` are looked for in the normalised text, the others in the text as given. Where several could
// match, the leftmost is taken, and of those the longest (the `tokenizers` library's rule, its oddities included).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/trie.hpp"

namespace monomorph {

struct AddedToken {
  std::int32_t id;
  std::string content;  ///< not empty
  bool single_word;     ///< not next to a letter, digit or underscore
  bool lstrip, rstrip;  ///< takes the white space before, after it
  bool normalized;
  bool special;
  bool operator==(const AddedToken&) const = default;
};

class AddedTokenMatcher {
 public:
  void add(const AddedToken& token);

  struct Piece {
    std::string_view text;
    std::int32_t id;  ///< -1: no token, text yet to be encoded
  };
  /// The pieces of `text` in order; empty for an empty text.
  std::vector<Piece> split(std::string_view text) const;

 private:
  std::vector<AddedToken> tokens_;
  Trie contents_;  ///< places in tokens_
};

}  // namespace monomorph
