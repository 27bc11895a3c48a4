#include "runtime/tokenizer/trie.hpp"

namespace monomorph {

void Trie::add(std::string_view text, std::int32_t value) {
  std::size_t node = 0;
  for (const char byte : text) {
    const auto [found, is_new] = edges_.try_emplace(edge(node, byte), values_.size());
    if (is_new) values_.push_back(none);
    node = found->second;
  }
  if (values_[node] == none) values_[node] = value;
}

Trie::Found Trie::longest(std::string_view text) const {
  Found longest{none, 0};
  std::size_t node = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto found = edges_.find(edge(node, text[i]));
    if (found == edges_.end()) break;
    node = found->second;
    if (values_[node] != none) longest = {values_[node], i + 1};
  }
  return longest;
}

}  // namespace monomorph
