#include "runtime/tokenizer/bpe.hpp"

#include <fmt/format.h>

#include <queue>
#include <tuple>

#include "runtime/engine.hpp"

namespace monomorph {
namespace {

/// A token of the word so far, in a list that merges shorten.
struct Symbol {
  std::int32_t token;
  std::int32_t previous, next;  ///< -1: the word's end
  bool merged_away;
};

struct Candidate {
  std::int32_t rank;
  std::int32_t position;
  std::int32_t token;
  bool operator>(const Candidate& other) const {
    return std::tie(rank, position) > std::tie(other.rank, other.position);
  }
};

}  // namespace

void Bpe::encode(std::string_view word, std::vector<std::int32_t>& tokens) const {
  const std::string key(word);
  if (!whole.empty()) {
    if (const auto found = whole.find(key); found != whole.end()) {
      tokens.push_back(found->second);
      return;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = cache_.find(key); found != cache_.end()) {
      tokens.insert(tokens.end(), found->second.begin(), found->second.end());
      return;
    }
  }
  std::vector<std::int32_t> merged = merge(word);
  tokens.insert(tokens.end(), merged.begin(), merged.end());
  if (word.size() <= longest_cached) {
    const std::lock_guard lock(mutex_);
    if (cache_.size() < cached_words) cache_.emplace(key, std::move(merged));
  }
}

std::vector<std::int32_t> Bpe::merge(std::string_view word) const {
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  bool last_unknown = false;
  for (const char character : word) {
    const auto byte = static_cast<unsigned char>(character);
    const bool known = byte_tokens[byte] != none;
    if (!known && unknown == none) {
      throw Error(ErrorKind::rejected,
                  fmt::format("the tokenizer has no token for the byte 0x{:02x}, and none for the unknown; leave this "
                              "character out, or pass --tokens",
                              byte));
    }
    if (known || !fuse_unknown || !last_unknown) {
      const auto index = static_cast<std::int32_t>(symbols.size());
      symbols.push_back({known ? byte_tokens[byte] : unknown, index - 1, index + 1, false});
    }
    last_unknown = !known;
  }
  symbols.back().next = -1;

  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](std::int32_t left) {
    if (left < 0 || symbols[left].next < 0) return;
    const auto found = merges.find(pair(symbols[left].token, symbols[symbols[left].next].token));
    if (found != merges.end()) candidates.push({found->second.rank, left, found->second.token});
  };
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) consider(static_cast<std::int32_t>(i));

  while (!candidates.empty()) {
    const Candidate candidate = candidates.top();
    candidates.pop();
    Symbol& left = symbols[candidate.position];
    if (left.merged_away || left.next < 0) continue;
    // Either side may have changed since: what counts is that the pair still merges into the same token.
    const auto found = merges.find(pair(left.token, symbols[left.next].token));
    if (found == merges.end() || found->second.token != candidate.token) continue;
    Symbol& right = symbols[left.next];
    right.merged_away = true;
    left.token = candidate.token;
    left.next = right.next;
    if (left.next >= 0) symbols[left.next].previous = candidate.position;
    consider(left.previous);
    consider(candidate.position);
  }

  std::vector<std::int32_t> tokens;
  for (const Symbol& symbol : symbols) {
    if (!symbol.merged_away) tokens.push_back(symbol.token);
  }
  return tokens;
}

}  // namespace monomorph
