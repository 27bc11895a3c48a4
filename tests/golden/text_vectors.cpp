#include "tests/golden/text_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/engine/embed.hpp"

namespace monomorph::golden {

std::vector<Comparison> compare_token_states(const Golden& golden, Engine& engine) {
  const std::vector<Golden::Text> texts = golden.texts();
  std::vector<Comparison> modes;
  Comparison& whole = modes.emplace_back(golden, "hidden states");
  engine.token_states({texts.back().tokens, texts.back().types}, [&](std::span<const float> row) { whole.next(row); });
  for (std::size_t call = 0; call + 1 < texts.size(); ++call) {
    std::vector<float> last;
    engine.token_states({texts[call].tokens, texts[call].types},
                        [&](std::span<const float> row) { last.assign(row.begin(), row.end()); });
    modes.emplace_back(golden, fmt::format("hidden states of {} tokens", texts[call].tokens.size()), 1)
        .last_of_call(call, last);
  }
  return modes;
}

VectorDistances compare_vectors(const Golden& golden, Engine& engine) {
  std::vector<Text> texts;
  for (const Golden::Text& text : golden.texts()) texts.push_back({text.tokens, text.types});
  std::ranges::rotate(texts, texts.end() - 1);  // the longest among the others, not at their end
  std::vector<std::vector<float>> together = embed(engine, texts);
  VectorDistances worst;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<float> alone = embed(engine, {&texts[i], 1}).front();
    const std::vector<float>& expected = golden.vectors[i == 0 ? texts.size() - 1 : i - 1];
    worst.together = std::max(worst.together, row_error(together[i], expected));
    worst.alone = std::max(worst.alone, row_error(alone, expected));
    worst.from_company = std::max(worst.from_company, row_error(alone, together[i]));
  }
  return worst;
}

}  // namespace monomorph::golden
