#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/prompt_file.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/engine/denoise.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/tokenizer/text_stream.hpp"

namespace monomorph::cli {
namespace {

/// What draws tokens one by one has no meaning where all stand in the text from the first pass on.
void refuse_what_draws(const RunOptions& options) {
  const SamplingChoice& sampling = options.sampling;
  for (const auto& [name, given] :
       {std::pair("--prompts", options.prompts.has_value()), std::pair("--top-k", sampling.top_k.has_value()),
        std::pair("--top-p", sampling.top_p.has_value()), std::pair("--min-p", sampling.min_p.has_value()),
        std::pair("--repetition-penalty", sampling.repetition_penalty.has_value()),
        std::pair("--presence-penalty", sampling.presence_penalty.has_value()),
        std::pair("--frequency-penalty", sampling.frequency_penalty.has_value()),
        std::pair("--no-repeat-ngram-size", sampling.no_repeat_ngram_size.has_value()),
        std::pair("--min-new-tokens", sampling.min_new_tokens.has_value()),
        std::pair("--beams", options.search.beams.has_value()),
        std::pair("--length-penalty", options.search.length_penalty.has_value()),
        std::pair("--early-stopping", options.search.early_stopping.has_value()),
        std::pair("--log-probabilities", !options.log_probabilities.empty()),
        std::pair("--prompt-cache", !options.prompt_cache.empty())}) {
    if (given) throw Error(ErrorKind::environment, fmt::format("{} has no meaning beside --denoise", name));
  }
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
  std::optional<Tokenizer> tokenizer;
  std::vector<std::int32_t> prompt;
  if (options.prompt || options.prompt_file) {
    if (!options.engine.random_weights) find_checkpoint(options.engine.weights);  // the first thing to say
    tokenizer.emplace(open_tokenizer(program, options.tokenizer, options.engine));
    prompt = tokenizer->encode(options.prompt ? *options.prompt : read_prompt_file(*options.prompt_file));
  } else {
    prompt = parse_tokens(options.tokens);
  }
  validate_denoising(program, prompt, how);

  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  if (!tokenizer) tokenizer = find_tokenizer(program, options.tokenizer, options.engine);
  if (!tokenizer && !options.stop_strings.empty()) {
    throw Error(ErrorKind::rejected, "--stop ends a text, and there is no tokenizer; name one with --tokenizer");
  }
  std::optional<Progress> progress(std::in_place, "denoising", Progress::Shows::count);
  progress->update(0, how.steps);
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::int32_t> tokens =
      denoise(*engine, prompt, how, [&](std::int64_t done, std::int64_t steps) { progress->update(done, steps); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.reset();
  print(tokenizer ? text_of(*engine, *tokenizer, tokens, options.stop_strings) + "\n"
                  : fmt::format("{}\n", fmt::join(tokens, ",")));
  std::string figures = describe(compilation);
  figures += fmt::format("prompt: {} tokens\nfound: {} tokens in {} steps, {:.3f} s, {}\n", prompt.size(),
                         tokens.size(), how.steps, seconds, token_rate(static_cast<double>(tokens.size()), seconds));
  const auto masks = std::ranges::count(tokens, program.mask_token);
  if (masks > 0)
    figures += fmt::format("{} of them are masks: the model says that the mask token stands there\n", masks);
  print_error(figures);
}

}  // namespace monomorph::cli
