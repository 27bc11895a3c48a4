#include "runtime/cli/text_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/cli/progress.hpp"
#include "runtime/engine/embed.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph::cli {

TextTokens text_tokens(const Program& program, EncodedText encoded, std::string place) {
  TextTokens text{std::move(encoded.ids), std::move(encoded.types), std::move(place)};
  const bool plain = std::ranges::all_of(text.types, [](std::int32_t type) { return type == 0; });
  if (plain || program.token_types == 0) text.types.clear();
  return text;
}

std::int64_t most_tokens(const Program& program) {
  return program.one_pass ? std::min(program.max_sequence_length, program.prefill_chunk) : program.max_sequence_length;
}

void validate_texts(const Program& program, const std::vector<TextTokens>& texts) {
  for (const TextTokens& text : texts) {
    try {
      validate_tokens(program, 0, 0, text.tokens);
      validate_types(program, text.tokens, text.types);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: {}", text.place, error.what()));
    }
  }
}

void each_vector(Engine& engine, const std::vector<TextTokens>& texts,
                 const std::function<void(std::span<const float> vector)>& take) {
  std::vector<Text> views;
  for (const TextTokens& text : texts) views.push_back({text.tokens, text.types});
  Progress progress("embedding");
  std::int64_t taken = 0;
  const auto count_and_take = [&](std::span<const float> vector) {
    take(vector);
    ++taken;
  };
  embed(engine, views, count_and_take, [&] { progress.update(taken, std::ssize(views)); });
}

}  // namespace monomorph::cli
