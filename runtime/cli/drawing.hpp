// How tokens are drawn: as the options say, else as the generation_config.json beside the weights does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/cli/engine_choice.hpp"
#include "runtime/engine/beam_search.hpp"
#include "runtime/engine/engine.hpp"

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

struct Drawing {
  Sampling sampling;
  BeamSearch search{.beams = 1};                           ///< one beam: none is made
  std::optional<std::int64_t> max_length, max_new_tokens;  ///< as the file says

  bool searches() const { return search.beams > 1; }
  /// The most tokens to draw after a prompt: `said`, else what the file says, else 64.
  std::int64_t count(std::optional<std::int64_t> said, std::size_t prompt) const;
};

/// What the file says, which is told on standard error; nothing of it where there is none, or nobody is to read it.
/// Throws what find_generation_config does.
Drawing configured_drawing(const Program& program, const EngineChoice& engine);
/// The options, over that where the model answers to sources; otherwise alone. Throws Error(rejected) for what
/// validate_sampling and validate_beam_search reject.
Drawing drawing_of(const Program& program, const EngineChoice& engine, const SamplingChoice& sampling,
                   const SearchChoice& search);

}  // namespace monomorph::cli
