// The last stage of encoding: a template puts special tokens around the tokens of one text, or of two, and gives every
// token its type. Texts are truncated before, so that no special token is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/tokenizer/model.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph {

/// A special token, or the place of the tokens of a text.
struct TemplatePiece {
  std::int32_t token = no_token;  ///< no_token: a text
  std::size_t text = 0;           ///< 0: $A, 1: $B
  std::int32_t type = 0;

  bool is_text() const { return token == no_token; }
};
using Template = std::vector<TemplatePiece>;

inline TemplatePiece special_token(std::int32_t token, std::int32_t type) { return {token, 0, type}; }
inline TemplatePiece text_tokens(std::size_t text, std::int32_t type) { return {no_token, text, type}; }

/// Each template has each of its texts once.
struct PostProcessor {
  Template single{text_tokens(0, 0)};
  Template pair{text_tokens(0, 0), text_tokens(1, 1)};
  std::string no_pair;  ///< why pairs are refused, with the remedy; "": `pair` is their template
};

/// $A of type 0 between these tokens, where they are given.
Template enclose(std::optional<std::int32_t> first, std::optional<std::int32_t> last);

/// `texts` are the tokens of $A, or of $A and $B, as the template has them. With `max_tokens` texts lose tokens at
/// their end until no more are left: of two the longer one, down to the other's length, then both alike
/// (`longest_first` of the `tokenizers` library). Throws Error(rejected) where the special tokens alone are more.
EncodedText fill(const Template& pieces, std::vector<std::vector<std::int32_t>> texts,
                 std::optional<std::int64_t> max_tokens);

}  // namespace monomorph
