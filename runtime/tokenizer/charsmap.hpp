// SentencePiece's table of replacements ("precompiled_charsmap"): a double-array trie (darts-clone) of what is
// replaced, each with the place of its replacement in a block of texts that end in zero bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/trie.hpp"

namespace monomorph {

class Charsmap {
 public:
  /// `bytes`: the size of the trie, the trie, the texts. Nothing where they are no such table.
  static std::optional<Charsmap> read(std::string_view bytes);

  /// As the `tokenizers` library does: what it finds for a grapheme of at most five bytes stands for the whole of it,
  /// else for each character; of several keys that a text begins with it takes the shortest.
  std::string by_grapheme(std::string_view text) const;
  /// As SentencePiece does: from left to right, the longest key each time; the longest of `kept` stays as it is.
  std::string by_longest(std::string_view text, const Trie& kept) const;

 private:
  struct Found {
    std::string_view replacement;
    std::size_t length;  ///< of the key
  };
  std::optional<Found> find(std::string_view text, bool longest) const;

  std::vector<std::uint32_t> trie_;
  std::string texts_;
};

}  // namespace monomorph
