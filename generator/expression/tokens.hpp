// The words and signs of an expression.
#pragma once

#include <cstddef>
#include <string>

namespace monomorph::generator {

struct Token {
  enum class Kind { number, name, word, symbol, end, invalid };
  Kind kind = Kind::end;
  std::string text;  ///< of a word, with its quotes
  std::size_t begin = 0;
};

/// The token at or after `begin`.
Token next_token(const std::string& text, std::size_t begin);

}  // namespace monomorph::generator
