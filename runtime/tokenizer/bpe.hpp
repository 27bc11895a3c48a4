// Byte-pair encoding of one word: to token ids by merging the pair of lowest rank first, the leftmost where ranks are
// equal. The order of merges, and nothing else, decides the result; it is that of the `tokenizers` library.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/tokenizer/model.hpp"

namespace monomorph {

class Bpe : public TokenModel {
 public:
  struct Merge {
    std::int32_t rank;
    std::int32_t token;
  };
  /// What merging begins with.
  enum class Units { bytes, characters };

  Bpe() { byte_tokens.fill(no_token); }

  Units units = Units::bytes;
  ByteTokens byte_tokens;
  /// Characters: with `prefix` before all but a word's first, and `suffix` behind its last.
  std::unordered_map<std::string, std::int32_t> characters;
  std::string prefix, suffix;
  bool byte_fallback = false;                           ///< a character that has no token is spelt in `byte_tokens`
  std::unordered_map<std::uint64_t, Merge> merges;      ///< by pair(left, right)
  std::unordered_map<std::string, std::int32_t> whole;  ///< ignore_merges: words that are tokens as they are
  std::int32_t unknown = no_token;                      ///< stands for units that have no token
  bool fuse_unknown = false;                            ///< one for a run of them
  std::unordered_set<std::int32_t> unused;  ///< merge on, but what is left of them comes apart into what they are of

  static std::uint64_t pair(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }

  /// A token of the vocabulary; `as_whole`: ignore_merges, a word that is spelt like it is this token.
  void add(const std::string& content, std::int32_t token, bool as_whole);
  /// The pair becomes the token of both together. Gives what `ids` lacks of the three; "": nothing.
  std::string add_merge(const std::string& left, const std::string& right, std::int32_t rank,
                        const std::unordered_map<std::string, std::int32_t>& ids);

  void encode(std::string_view word, std::vector<std::int32_t>& tokens) const override;

 private:
  std::vector<std::int32_t> units_of(std::string_view word) const;
  std::int32_t token_of_unit(const std::string& unit) const;
  std::vector<std::int32_t> merge(std::string_view word) const;

  // Words repeat: most of a text is found here. Bounded, and filled once, so that memory stays known.
  static constexpr std::size_t cached_words = 10'000;
  static constexpr std::size_t longest_cached = 64;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::vector<std::int32_t>> cache_;
};

}  // namespace monomorph
