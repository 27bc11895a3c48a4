// How a model's makers want it to draw: the generation_config.json beside its weights, as transformers reads it.
//
// Without "do_sample" the likeliest token is taken, or, with "num_beams", the likeliest sequence. A strategy that this
// engine has not would answer otherwise, and is an error; what is about other things is passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/engine/beam_search.hpp"
#include "runtime/engine/engine.hpp"

namespace monomorph {

struct GenerationConfig {
  std::string file;
  Sampling sampling;
  BeamSearch search{.beams = 1};               ///< one beam: none is made
  std::optional<std::int64_t> max_length;      ///< of a sequence, the prompt among it
  std::optional<std::int64_t> max_new_tokens;  ///< goes before it
  std::string unknown;                         ///< keys that transformers has none of, and passes over as well: "a, b"

  bool searches() const { return search.beams > 1; }
  /// The most tokens to draw after a prompt: `said`, else what the file says, else 64.
  std::int64_t count(std::optional<std::int64_t> said, std::size_t prompt) const;
  /// "temperature 0.6, top-k 20"; "the likeliest token".
  std::string described() const;
};

/// Of the directory of weights that `weights` is or lies in; nothing where there is none, or where the weights are a
/// GGUF file, whose metadata are all that it comes with. Throws Error(environment) where it cannot be read, and what
/// parse_generation_config does.
std::optional<GenerationConfig> find_generation_config(const std::string& weights);

/// Throws Error(rejected) for what is no JSON object, a value of another type or out of range, and a strategy that this
/// engine has not.
GenerationConfig parse_generation_config(const std::string& text, const std::string& file);

}  // namespace monomorph
