// What may not follow a sequence, and what must, whatever the model's logits say. The rules are those of transformers'
// classes of LogitsProcessor, under the names that generation_config.json has for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace monomorph {

struct Constraints {
  std::int64_t no_repeat_ngram_size = 0;          ///< no n tokens in a row stand in a sequence twice; 0: they may
  std::int64_t encoder_no_repeat_ngram_size = 0;  ///< nor n of the source, or of the prompt where there is none
  std::int64_t min_length = 0;      ///< no stop token before the sequence has so many tokens, the prompt's among them
  std::int64_t min_new_tokens = 0;  ///< no stop token before so many are drawn
  std::vector<std::vector<std::int32_t>> bad_words_ids{};  ///< tokens in a row that are not drawn, but for a stop token
  std::vector<std::int32_t> suppress_tokens{};             ///< are not drawn
  std::vector<std::int32_t> begin_suppress_tokens{};  ///< are not drawn first; after forced_bos_token_id, not second
  std::optional<std::int32_t> forced_bos_token_id{};  ///< follows a sequence of one token
  std::vector<std::int32_t> forced_eos_token_id{};    ///< one of them is the last that may be drawn

  bool operator==(const Constraints&) const = default;
};

/// What a token is to follow.
struct SequenceSoFar {
  std::span<const std::int32_t> tokens;  ///< the prompt, then what was drawn
  std::span<const std::int32_t> source;  ///< that it answers to; empty: none
  std::int64_t drawn = 0;                ///< of `tokens`
  bool last = false;                     ///< no further token may be drawn
};

/// Logits, or log-probabilities, [vocab_size]: of tokens that may not follow they become minus infinity, and 0 of one
/// that must. `stop_tokens` are the model's. Throws Error(rejected) where no token is left.
void constrain(const Constraints& constraints, const SequenceSoFar& so_far, std::span<const std::uint32_t> stop_tokens,
               std::span<float> logits);

/// Throws Error(rejected) for sizes below 0, tokens outside the vocabulary, empty words and a forced token that is
/// suppressed.
void validate_constraints(const Constraints& constraints, std::int64_t vocab_size);

}  // namespace monomorph
