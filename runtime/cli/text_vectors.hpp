// Texts as tokens, and their vectors in order: what embed and rank do with an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph::cli {

/// A text, or a pair, and where it came from, for messages.
struct TextTokens {
  std::vector<std::int32_t> tokens, types;
  std::string place;
};

/// What the tokenizer has made of a text; types that are all 0, or that the model does not know of, are none.
TextTokens text_tokens(const Program& program, EncodedText encoded, std::string place);
/// Tokens that a text has at most, for the tokenizer to cut it to.
std::int64_t most_tokens(const Program& program);
/// Throws Error(rejected) with the place of a text that the engine would reject.
void validate_texts(const Program& program, const std::vector<TextTokens>& texts);
/// `take` sees the vector of each text, in order. Shows progress, and throws Interrupted after Ctrl-C.
void each_vector(Engine& engine, const std::vector<TextTokens>& texts,
                 const std::function<void(std::span<const float> vector)>& take);

}  // namespace monomorph::cli
