// Byte-pair encoding of one word: bytes to token ids by merging the pair of lowest rank first, the leftmost where ranks
// are equal. The order of merges, and nothing else, decides the result; it is that of the `tokenizers` library.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace monomorph {

class Bpe {
 public:
  struct Merge {
    std::int32_t rank;
    std::int32_t token;
  };
  static constexpr std::int32_t none = -1;

  std::array<std::int32_t, 256> byte_tokens;            ///< none: the vocabulary lacks this byte
  std::unordered_map<std::uint64_t, Merge> merges;      ///< by pair(left, right)
  std::unordered_map<std::string, std::int32_t> whole;  ///< ignore_merges: words (bytes) that are tokens as they are
  std::int32_t unknown = none;                          ///< stands for bytes the vocabulary lacks
  bool fuse_unknown = false;                            ///< one for a run of them

  static std::uint64_t pair(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }

  /// Appends the tokens of `word`, which is not empty. Throws Error(rejected) for a byte without a token when there is
  /// no unknown token.
  void encode(std::string_view word, std::vector<std::int32_t>& tokens) const;

 private:
  std::vector<std::int32_t> merge(std::string_view word) const;

  // Words repeat: most of a text is found here. Bounded, and filled once, so that memory stays known.
  static constexpr std::size_t cached_words = 10'000;
  static constexpr std::size_t longest_cached = 64;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::vector<std::int32_t>> cache_;
};

}  // namespace monomorph
