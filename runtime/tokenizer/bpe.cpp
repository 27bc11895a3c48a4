#include "runtime/tokenizer/bpe.hpp"

#include <queue>
#include <tuple>
#include <utility>

#include "runtime/tokenizer/byte_alphabet.hpp"
#include "runtime/tokenizer/utf8.hpp"

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

void Bpe::add(const std::string& content, std::int32_t token, bool as_whole) {
  if (units == Units::bytes) {
    const auto bytes = bytes_of_alphabet(content);
    if (!bytes) return;
    if (bytes->size() == 1) byte_tokens[static_cast<unsigned char>((*bytes)[0])] = token;
    if (as_whole && !bytes->empty()) whole.emplace(*bytes, token);
    return;
  }
  std::string_view character = content;
  if (character.size() > prefix.size() && character.starts_with(prefix)) character.remove_prefix(prefix.size());
  if (character.size() > suffix.size() && character.ends_with(suffix)) character.remove_suffix(suffix.size());
  const auto is_one = [](std::string_view text) { return !text.empty() && utf8_step(text).length == text.size(); };
  if (is_one(character) || is_one(content)) characters.emplace(content, token);
  if (as_whole && !content.empty()) whole.emplace(content, token);
}

std::string Bpe::add_merge(const std::string& left, const std::string& right, std::int32_t rank,
                           const std::unordered_map<std::string, std::int32_t>& ids) {
  // What goes on a word has its mark where it begins alone.
  const std::string both = left + (right.starts_with(prefix) ? right.substr(prefix.size()) : right);
  for (const std::string* const token : {&left, &right, &both}) {
    if (!ids.contains(*token)) return *token;
  }
  merges[pair(ids.at(left), ids.at(right))] = {rank, ids.at(both)};
  return "";
}

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

std::int32_t Bpe::token_of_unit(const std::string& unit) const {
  if (units == Units::bytes) return byte_tokens[static_cast<unsigned char>(unit[0])];
  const auto found = characters.find(unit);
  return found == characters.end() ? no_token : found->second;
}

std::vector<std::int32_t> Bpe::units_of(std::string_view word) const {
  std::vector<std::int32_t> tokens;
  tokens.reserve(word.size());
  // The library holds an unknown back until a token of the vocabulary, or the next unknown; bytes pass it.
  bool held_back = false;
  const auto flush = [&] {
    if (std::exchange(held_back, false)) tokens.push_back(unknown);
  };
  for (std::size_t at = 0, length = 1; at < word.size(); at += length) {
    if (units == Units::characters) length = utf8_step(word.substr(at)).length;
    std::string unit(word.substr(at, length));
    if (at > 0) unit.insert(0, prefix);
    if (at + length == word.size()) unit += suffix;
    const std::int32_t token = token_of_unit(unit);
    if (token != no_token) {
      flush();
      tokens.push_back(token);
    } else if (!byte_fallback || !spell_in_bytes(unit, byte_tokens, tokens)) {
      if (unknown == no_token) throw_unknown(unit);
      if (!fuse_unknown) flush();
      held_back = true;
    }
  }
  flush();
  return tokens;
}

std::vector<std::int32_t> Bpe::merge(std::string_view word) const {
  std::vector<Symbol> symbols;
  for (const std::int32_t token : units_of(word)) {
    const auto index = static_cast<std::int32_t>(symbols.size());
    symbols.push_back({token, index - 1, index + 1, false});
  }
  symbols.back().next = -1;

  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  std::unordered_map<std::int32_t, std::pair<std::int32_t, std::int32_t>> parts;  // of unused tokens, as last seen
  const auto consider = [&](std::int32_t left) {
    if (left < 0 || symbols[left].next < 0) return;
    const auto found = merges.find(pair(symbols[left].token, symbols[symbols[left].next].token));
    if (found == merges.end()) return;
    candidates.push({found->second.rank, left, found->second.token});
    if (unused.contains(found->second.token)) {
      parts[found->second.token] = {symbols[left].token, symbols[symbols[left].next].token};
    }
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
  std::vector<std::int32_t> rest;  // of a symbol that comes apart, the next last
  for (const Symbol& symbol : symbols) {
    if (symbol.merged_away) continue;
    for (rest.push_back(symbol.token); !rest.empty();) {
      const std::int32_t token = rest.back();
      rest.pop_back();
      if (const auto found = parts.find(token); found != parts.end()) {
        rest.push_back(found->second.second);
        rest.push_back(found->second.first);
      } else {
        tokens.push_back(token);
      }
    }
  }
  return tokens;
}

}  // namespace monomorph
