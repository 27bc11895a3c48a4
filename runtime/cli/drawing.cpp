#include "runtime/cli/drawing.hpp"

#include <fmt/format.h>

#include "runtime/cli/output.hpp"
#include "runtime/cli/refuse_given.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph::cli {

Sampling SamplingChoice::over(Sampling otherwise) const {
  otherwise.temperature = temperature.value_or(otherwise.temperature);
  otherwise.top_k = top_k.value_or(otherwise.top_k);
  otherwise.top_p = top_p.value_or(otherwise.top_p);
  otherwise.min_p = min_p.value_or(otherwise.min_p);
  otherwise.repetition_penalty = repetition_penalty.value_or(otherwise.repetition_penalty);
  otherwise.presence_penalty = presence_penalty.value_or(otherwise.presence_penalty);
  otherwise.frequency_penalty = frequency_penalty.value_or(otherwise.frequency_penalty);
  otherwise.seed = seed.value_or(otherwise.seed);
  Constraints& constraints = otherwise.constraints;
  constraints.no_repeat_ngram_size = no_repeat_ngram_size.value_or(constraints.no_repeat_ngram_size);
  if (min_new_tokens) constraints.min_length = 0;
  constraints.min_new_tokens = min_new_tokens.value_or(constraints.min_new_tokens);
  return otherwise;
}

BeamSearch SearchChoice::over(BeamSearch otherwise) const {
  otherwise.beams = beams.value_or(otherwise.beams);
  otherwise.length_penalty = length_penalty.value_or(otherwise.length_penalty);
  otherwise.early_stopping = early_stopping.value_or(otherwise.early_stopping);
  return otherwise;
}

GenerationConfig configured_drawing(const Program& program, const EngineChoice& engine) {
  if (engine.random_weights || engine.ignore_config) return {};
  const std::optional<GenerationConfig> config = find_generation_config(engine.weights);
  if (!config) return {};
  print_error(fmt::format("{}: draws as {} says, {}; options go before it{}\n", program.name, config->file,
                          config->described(),
                          config->unknown.empty() ? "" : fmt::format("; not known there: {}", config->unknown)));
  return *config;
}

GenerationConfig drawing_of(const Program& program, const EngineChoice& engine, const SamplingChoice& sampling,
                            const SearchChoice& search) {
  validate_sampling(sampling.over({}));  // before any file is looked at
  GenerationConfig drawing;
  if (program.max_source_length > 0) drawing = configured_drawing(program, engine);
  drawing.sampling = sampling.over(drawing.sampling);
  // Who asks for random draws does not mean the beams of the file.
  if (drawing.sampling.temperature != 0) drawing.search.beams = 1;
  drawing.search = search.over(drawing.search);
  validate_sampling(drawing.sampling);
  validate_constraints(drawing.sampling.constraints, program.vocab_size);
  if (drawing.searches() || search.beams) validate_beam_search(program, drawing.search, drawing.sampling);
  if (drawing.searches()) return drawing;
  refuse_given({{"--length-penalty", search.length_penalty.has_value()},
                {"--early-stopping", search.early_stopping.has_value()}},
               "is about beams; say how many with --beams");
  return drawing;
}

}  // namespace monomorph::cli
