#include "runtime/engine/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

using Tokens = std::span<const std::int32_t>;
constexpr float never = -std::numeric_limits<float>::infinity();

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

void ban(Tokens tokens, std::span<float> logits) {
  for (const std::int32_t token : tokens) logits[static_cast<std::size_t>(token)] = never;
}

/// Only these tokens are left, each with a logit of 0.
void force(Tokens tokens, std::span<float> logits) {
  std::fill(logits.begin(), logits.end(), never);
  for (const std::int32_t token : tokens) logits[static_cast<std::size_t>(token)] = 0;
}

/// Whether `tokens` end with `words`.
bool ends_with(Tokens tokens, Tokens words) {
  return tokens.size() >= words.size() && std::equal(words.begin(), words.end(), tokens.end() - std::ssize(words));
}

/// Bans what would make `size` tokens in a row of `told` stand at the end of `tokens`.
void ban_repeats(Tokens told, Tokens tokens, std::int64_t size, std::span<float> logits) {
  const auto before = static_cast<std::size_t>(size - 1);
  for (std::size_t end = before; size > 0 && end < told.size(); ++end) {
    if (ends_with(tokens, told.subspan(end - before, before))) ban(told.subspan(end, 1), logits);
  }
}

void ban_stop_tokens(std::span<const std::uint32_t> stop_tokens, std::span<float> logits) {
  for (const std::uint32_t token : stop_tokens) logits[token] = never;
}

bool is_one_of(std::int32_t token, std::span<const std::uint32_t> stop_tokens) {
  return std::find(stop_tokens.begin(), stop_tokens.end(), static_cast<std::uint32_t>(token)) != stop_tokens.end();
}

bool stands_in(std::int32_t token, Tokens tokens) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

/// Before which draw begin_suppress_tokens are not drawn: the first that is not forced.
std::int64_t first_free_draw(const Constraints& constraints, const SequenceSoFar& so_far) {
  const std::int64_t prompt = std::ssize(so_far.tokens) - so_far.drawn;
  return constraints.forced_bos_token_id && prompt <= 1 ? 1 : 0;
}

}  // namespace

void constrain(const Constraints& constraints, const SequenceSoFar& so_far, std::span<const std::uint32_t> stop_tokens,
               std::span<float> logits) {
  const Tokens tokens = so_far.tokens;
  ban_repeats(tokens, tokens, constraints.no_repeat_ngram_size, logits);
  const Tokens prompt = tokens.first(tokens.size() - static_cast<std::size_t>(so_far.drawn));
  ban_repeats(so_far.source.empty() ? prompt : so_far.source, tokens, constraints.encoder_no_repeat_ngram_size, logits);
  for (const Tokens words : constraints.bad_words_ids) {
    if (words.size() == 1 && is_one_of(words.front(), stop_tokens)) continue;
    if (ends_with(tokens, words.first(words.size() - 1))) ban(words.last(1), logits);
  }
  if (std::ssize(tokens) < constraints.min_length || so_far.drawn < constraints.min_new_tokens) {
    ban_stop_tokens(stop_tokens, logits);
  }
  if (constraints.forced_bos_token_id && tokens.size() == 1) force({&*constraints.forced_bos_token_id, 1}, logits);
  if (!constraints.forced_eos_token_id.empty() && so_far.last) force(constraints.forced_eos_token_id, logits);
  ban(constraints.suppress_tokens, logits);
  if (so_far.drawn == first_free_draw(constraints, so_far)) ban(constraints.begin_suppress_tokens, logits);
  if (std::any_of(logits.begin(), logits.end(), [](float logit) { return logit > never; })) return;
  reject(
      fmt::format("no token may follow {} others: what may not be repeated and what is suppressed leave none of {}; "
                  "allow some",
                  tokens.size(), logits.size()));
}

void validate_constraints(const Constraints& constraints, std::int64_t vocab_size) {
  for (const auto& [name, value] :
       {std::pair("no_repeat_ngram_size", constraints.no_repeat_ngram_size),
        std::pair("encoder_no_repeat_ngram_size", constraints.encoder_no_repeat_ngram_size),
        std::pair("min_length", constraints.min_length), std::pair("min_new_tokens", constraints.min_new_tokens)}) {
    if (value < 0) reject(fmt::format("{} {} is not at least 0 (0 asks nothing)", name, value));
  }
  const auto known = [&](const char* name, Tokens tokens) {
    for (const std::int32_t token : tokens) {
      if (token >= 0 && token < vocab_size) continue;
      reject(fmt::format("{}: token {} is not in the vocabulary, 0 to {}", name, token, vocab_size - 1));
    }
  };
  for (const std::vector<std::int32_t>& words : constraints.bad_words_ids) {
    if (words.empty()) reject("bad_words_ids: one has no tokens, which nothing can avoid; leave it out");
    known("bad_words_ids", words);
  }
  known("suppress_tokens", constraints.suppress_tokens);
  known("begin_suppress_tokens", constraints.begin_suppress_tokens);
  known("forced_eos_token_id", constraints.forced_eos_token_id);
  std::vector<std::int32_t> forced = constraints.forced_eos_token_id;
  if (constraints.forced_bos_token_id) forced.push_back(*constraints.forced_bos_token_id);
  known("forced_bos_token_id", forced);
  for (const std::int32_t token : forced) {
    if (!stands_in(token, constraints.suppress_tokens)) continue;
    reject(fmt::format("token {} is forced and in suppress_tokens; leave one out", token));
  }
}

}  // namespace monomorph
