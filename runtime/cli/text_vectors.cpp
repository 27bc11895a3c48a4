#include "runtime/cli/text_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/cli/progress.hpp"
#include "runtime/engine/batch.hpp"
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

void each_vector(Engine& engine, std::vector<TextTokens> texts,
                 const std::function<void(std::span<const float> vector)>& take) {
  const auto count = static_cast<std::int64_t>(texts.size());
  Progress progress("embedding");
  Batch batch(engine);
  std::map<std::size_t, std::vector<float>> ready;  // those that wait for one before them
  std::size_t taken = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    batch.add(
        {.prompt = std::move(texts[i].tokens),
         .types = std::move(texts[i].types),
         .prompt_logits = [&ready, i](std::int64_t,
                                      std::span<const float> given) { ready[i].assign(given.begin(), given.end()); },
         .finished =
             [place = texts[i].place](const BatchResult& result) {
               if (result.error) throw Error(result.error->kind(), place + ": " + result.error->what());
             }});
  }
  for (bool more = true; more;) {
    progress.update(static_cast<std::int64_t>(taken), count);
    more = batch.tick();
    for (auto next = ready.begin(); next != ready.end() && next->first == taken; next = ready.erase(next)) {
      take(next->second);
      ++taken;
    }
  }
}

}  // namespace monomorph::cli
