#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/cli/asked.hpp"
#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/refuse_given.hpp"
#include "runtime/engine/denoise.hpp"
#include "runtime/tokenizer/text_stream.hpp"

namespace monomorph::cli {
namespace {

/// What draws tokens one by one has no meaning where all stand in the text from the first pass on.
void refuse_what_draws(const RunOptions& options) {
  const SamplingChoice& sampling = options.sampling;
  refuse_given({{"--prompts", options.prompts.has_value()},
                {"--top-k", sampling.top_k.has_value()},
                {"--top-p", sampling.top_p.has_value()},
                {"--min-p", sampling.min_p.has_value()},
                {"--repetition-penalty", sampling.repetition_penalty.has_value()},
                {"--presence-penalty", sampling.presence_penalty.has_value()},
                {"--frequency-penalty", sampling.frequency_penalty.has_value()},
                {"--no-repeat-ngram-size", sampling.no_repeat_ngram_size.has_value()},
                {"--min-new-tokens", sampling.min_new_tokens.has_value()},
                {"--beams", options.search.beams.has_value()},
                {"--length-penalty", options.search.length_penalty.has_value()},
                {"--early-stopping", options.search.early_stopping.has_value()},
                {"--log-probabilities", !options.log_probabilities.empty()},
                {"--prompt-cache", !options.prompt_cache.empty()}},
               "has no meaning beside --denoise");
}

Denoising denoising_of(const RunOptions& options) {
  const DenoiseChoice& choice = options.denoise;
  Denoising how;
  how.length = options.count.value_or(64);
  how.block_length = choice.block_length.value_or(how.length);
  how.steps = choice.steps.value_or(how.length);
  how.temperature = options.sampling.temperature.value_or(0);
  how.seed = options.sampling.seed.value_or(0);
  how.remasking = choice.remasking == "random" ? Remasking::random : Remasking::low_confidence;
  how.guidance = choice.guidance;
  return how;
}

/// Up to the first stop token, which has no text, or a stop string.
std::string text_of(const Engine& engine, const Tokenizer& tokenizer, std::span<const std::int32_t> tokens,
                    const std::vector<std::string>& stop_strings) {
  TextStream stream(tokenizer, stop_strings);
  std::string text;
  for (const std::int32_t token : tokens) {
    if (engine.is_stop_token(token) || stream.stopped()) break;
    text += stream.push(token);
  }
  return text + stream.finish();
}

}  // namespace

void run_denoise(const Program& program, const RunOptions& options) {
  refuse_what_draws(options);
  validate_stop_strings(options.stop_strings);
  const Denoising how = denoising_of(options);
  Asked asked = read_asked(program, options);
  validate_denoising(program, asked.prompt, how);

  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  if (!asked.tokenizer) asked.tokenizer = find_tokenizer(program, options.tokenizer, options.engine);
  require_text(asked.tokenizer, options.stop_strings);
  std::optional<Progress> progress(std::in_place, "denoising", Progress::Shows::count);
  progress->update(0, how.steps);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int32_t> tokens = denoise(
      *engine, asked.prompt, how, [&](std::int64_t done, std::int64_t steps) { progress->update(done, steps); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.reset();
  print(asked.tokenizer ? text_of(*engine, *asked.tokenizer, tokens, options.stop_strings) + "\n"
                        : fmt::format("{}\n", fmt::join(tokens, ",")));
  std::string figures = describe(compilation);
  figures += fmt::format("prompt: {} tokens\nfound: {} tokens in {} steps, {:.3f} s, {}\n", asked.prompt.size(),
                         tokens.size(), how.steps, seconds, token_rate(static_cast<double>(tokens.size()), seconds));
  const auto masks = std::ranges::count(tokens, program.mask_token);
  if (masks > 0)
    figures += fmt::format("{} of them are masks: the model says that the mask token stands there\n", masks);
  print_error(figures);
}

}  // namespace monomorph::cli
