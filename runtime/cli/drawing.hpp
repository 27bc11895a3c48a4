// How tokens are drawn: as the options say, else as the generation_config.json beside the weights does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/chat/generation_config.hpp"
#include "runtime/cli/engine_choice.hpp"

namespace monomorph::cli {

/// What was said of a draw.
struct SamplingChoice {
  std::optional<float> temperature, top_p, min_p, repetition_penalty, presence_penalty, frequency_penalty;
  std::optional<std::uint32_t> top_k;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> no_repeat_ngram_size, min_new_tokens;

  /// What was said in place of what `otherwise` has.
  Sampling over(Sampling otherwise) const;
};

/// What was said of a search.
struct SearchChoice {
  std::optional<std::int64_t> beams;
  std::optional<float> length_penalty;
  std::optional<EarlyStopping> early_stopping;

  BeamSearch over(BeamSearch otherwise) const;
};

/// What the file says, which is told on standard error; nothing of it where there is none, or nobody is to read it.
/// Throws what find_generation_config does.
GenerationConfig configured_drawing(const Program& program, const EngineChoice& engine);
/// The options, over that where the model answers to sources; otherwise alone. Throws Error(rejected) for what
/// validate_sampling and validate_beam_search reject.
GenerationConfig drawing_of(const Program& program, const EngineChoice& engine, const SamplingChoice& sampling,
                            const SearchChoice& search);

}  // namespace monomorph::cli
