// Texts found at the front of another: what a lookup costs grows with what matches, not with how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace monomorph {

class Trie {
 public:
  Trie() : values_(1, none) {}

  static constexpr std::int32_t none = -1;
  /// `value`: 0 or more. Of equal texts the first stays.
  void add(std::string_view text, std::int32_t value);

  struct Found {
    std::int32_t value;  ///< none: nothing was found
    std::size_t length;
  };
  /// The longest that `text` begins with.
  Found longest(std::string_view text) const;

 private:
  static std::uint64_t edge(std::size_t node, char byte) {
    return static_cast<std::uint64_t>(node) << 8 | static_cast<unsigned char>(byte);
  }
  std::vector<std::int32_t> values_;                      ///< by node; 0 is the root
  std::unordered_map<std::uint64_t, std::size_t> edges_;  ///< to nodes
};

}  // namespace monomorph
