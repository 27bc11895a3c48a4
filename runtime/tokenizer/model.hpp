// What turns a word into tokens: byte-pair encoding, a unigram language model, or WordPiece.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace monomorph {

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Appends the tokens of `word`, UTF-8 and not empty. Throws Error(rejected) for what the vocabulary cannot spell
  /// where nothing stands for the unknown.
  virtual void encode(std::string_view word, std::vector<std::int32_t>& tokens) const = 0;
};

/// Ids above this are taken for damage: no vocabulary is near it.
inline constexpr std::int32_t max_token_id = (1 << 24) - 1;
/// No token.
inline constexpr std::int32_t no_token = -1;

/// By byte; no_token: the vocabulary lacks this one.
using ByteTokens = std::array<std::int32_t, 256>;
/// Appends a token for each byte of `text`; nothing, and false, where one of them has none.
bool spell_in_bytes(std::string_view text, const ByteTokens& bytes, std::vector<std::int32_t>& tokens);

/// Throws Error(rejected): `what` has no token, and nothing stands for the unknown.
[[noreturn]] void throw_unknown(std::string_view what);

}  // namespace monomorph
