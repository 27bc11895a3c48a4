#include "runtime/cli/log_probabilities.hpp"

#include <fmt/format.h>

#include "runtime/formats/json.hpp"

namespace monomorph::cli {

void LogProbabilitiesFile::append(const Engine::Generation& answer, const std::optional<Tokenizer>& tokenizer) {
  std::optional<Decoder> decoder;
  if (tokenizer) decoder.emplace(*tokenizer);
  for (std::size_t i = 0; i < answer.tokens.size(); ++i) {
    std::string text;
    if (decoder) {
      text = decoder->push(answer.tokens[i]);
      if (i + 1 == answer.tokens.size()) text += decoder->finish();
      text = fmt::format("\"text\":{},", Json(text).dump());
    }
    file_.write(
        fmt::format("{{\"id\":{},{}\"log_probability\":{}}}\n", answer.tokens[i], text, answer.log_probabilities[i]));
  }
}

}  // namespace monomorph::cli
