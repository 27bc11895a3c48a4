#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/cli/asked.hpp"
#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/log_probabilities.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/refuse_given.hpp"
#include "runtime/cli/saved_slot.hpp"
#include "runtime/engine/beam_search.hpp"
#include "runtime/engine/validate.hpp"
#include "runtime/tokenizer/text_stream.hpp"

namespace monomorph::cli {
namespace {

/// Where drawn tokens go: text up to a stop string, or ids.
class Printer {
 public:
  Printer(const std::optional<Tokenizer>& tokenizer, const std::vector<std::string>& stop_strings) {
    if (tokenizer) text_.emplace(*tokenizer, stop_strings);
  }
  void token(std::int32_t id) {
    print(text_ ? text_->push(id) : fmt::format("{}{}", first_ ? "" : ",", id));
    first_ = false;
  }
  bool stopped() const { return text_ && text_->stopped(); }
  void finish() { print(text_ ? text_->finish() + "\n" : "\n"); }
  /// Of a character or a stop string that was begun nothing is printed: the rest of it was not waited for.
  void break_off() {
    if (!first_) print("\n");
  }

 private:
  std::optional<TextStream> text_;
  bool first_ = true;
};

std::string count_of(std::size_t tokens) { return fmt::format("{} token{}", tokens, tokens == 1 ? "" : "s"); }

std::string figures(const Program& program, const Compilation& compilation, std::size_t prompt,
                    const Engine::Generation& generation, bool stop_string) {
  std::string text = describe(compilation);
  text += fmt::format("prompt: {} in {:.3f} s, {}\n", count_of(prompt), generation.prefill_seconds,
                      token_rate(static_cast<double>(prompt), generation.prefill_seconds));
  // The first token is drawn at the end of the prompt's pass: it has no time of its own.
  const std::size_t drawn = generation.tokens.size();
  text += fmt::format("drawn: {}{}{}\n", count_of(drawn),
                      drawn < 2 ? ""
                                : fmt::format(" in {:.3f} s, {}", generation.decode_seconds,
                                              token_rate(static_cast<double>(drawn - 1), generation.decode_seconds)),
                      stop_string          ? ", ended by a stop string"
                      : generation.stopped ? ", ended by a stop token"
                                           : "");
  if (generation.full) {
    text +=
        fmt::format("the sequence is full: max_sequence_length is {}; build with a longer engine.max_sequence_length\n",
                    program.max_sequence_length);
  }
  return text;
}

/// What a prompt's cache had of it, and how long the rest took.
struct CachedPrompt {
  std::int64_t tokens = 0;
  double seconds = 0;
};

/// Computes what the slot does not have of the prompt and saves the slot, but for the last token, of which the first
/// one is drawn: so the same prompt finds the slot where it goes on, and a recurrent state need not go back. A saved
/// slot that has all of that stays as it is.
CachedPrompt read_prompt(Engine& engine, std::span<const std::int32_t> prompt, SavedSlot& cache) {
  const std::size_t kept = prompt.size() - 1;
  CachedPrompt cached{engine.rewind_to_common(0, prompt)};
  const auto missing = prompt.first(kept).subspan(static_cast<std::size_t>(cached.tokens));
  if (missing.empty()) return cached;
  const auto start = std::chrono::steady_clock::now();
  engine.prefill(missing);
  cached.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cache.save(engine);
  return cached;
}

/// Files that are written beside the text. They are opened at once, so that a place that cannot be written is told
/// before anything is computed.
struct Kept {
  explicit Kept(const RunOptions& options) : cache(options.prompt_cache) {
    if (!options.log_probabilities.empty()) log_probabilities.emplace(options.log_probabilities);
  }
  std::optional<LogProbabilitiesFile> log_probabilities;
  SavedSlot cache;
};

/// Draws a token after the other and prints each as it is drawn.
void draw(Engine& engine, const RunOptions& options, const Asked& asked, std::int64_t count, const Sampling& sampling,
          const Compilation& compilation, Kept& kept) {
  Printer printer(asked.tokenizer, options.stop_strings);
  std::optional<Progress> reading("reading the prompt");
  reading->update(0, std::ssize(asked.prompt));
  engine.watch_prompts([&](std::int64_t done, std::int64_t total) {
    if (reading) reading->update(done, total);
  });
  engine.watch_draws(check_interrupt);  // what was drawn is printed, all of it
  Engine::Generation generation;
  CachedPrompt cached;
  try {
    if (kept.cache.wanted()) cached = read_prompt(engine, asked.prompt, kept.cache);
    const auto rest = std::span(asked.prompt).subspan(static_cast<std::size_t>(engine.position()));
    generation = engine.generate(rest, count, sampling, [&](std::int32_t token) {
      reading.reset();
      if (!asked.tokenizer || !engine.is_stop_token(token)) printer.token(token);  // it has no text
      return !printer.stopped();
    });
  } catch (const Interrupted&) {
    reading.reset();
    printer.break_off();
    throw;
  }
  reading.reset();
  printer.finish();
  if (kept.log_probabilities) {
    kept.log_probabilities->append(generation, asked.tokenizer);
    kept.log_probabilities->commit();
  }
  generation.prefill_seconds += cached.seconds;
  if (kept.cache.wanted()) {
    print_error(fmt::format("prompt cache: {} of the prompt's tokens were there\n", cached.tokens));
  }
  const std::size_t computed = asked.prompt.size() - static_cast<std::size_t>(cached.tokens);
  print_error(figures(engine.program(), compilation, computed, generation, printer.stopped()));
}

/// Searches for the likeliest sequence and prints it.
void search(Engine& engine, const Asked& asked, std::int64_t count, const GenerationConfig& drawing,
            const Compilation& compilation) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<Progress> searching("searching");
  searching->update(0, count);
  const std::vector<Beam> beams = search_beams(engine, asked.prompt, count, drawing.sampling, drawing.search,
                                               [&](std::int64_t drawn) { searching->update(drawn, count); });
  searching.reset();
  Printer printer(asked.tokenizer, {});
  const Beam best = beams.empty() ? Beam{} : beams.front();
  for (const std::int32_t token : best.tokens) {
    if (!asked.tokenizer || !engine.is_stop_token(token)) printer.token(token);
  }
  printer.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  print_error(describe(compilation) + fmt::format("the best of {} beams: {} in {:.3f} s, score {:.4f}{}\n",
                                                  drawing.search.beams, count_of(best.tokens.size()), seconds,
                                                  best.score, best.stopped ? ", ended by a stop token" : ""));
}

}  // namespace

void run(const Program& program, const RunOptions& options) {
  require_logits(program);
  validate_stop_strings(options.stop_strings);
  Asked asked = read_asked(program, options);
  GenerationConfig drawing = drawing_of(program, options.engine, options.sampling, options.search);
  drawing.sampling.log_probabilities = !options.log_probabilities.empty();
  const std::int64_t count = drawing.count(options.count, asked.prompt.size());
  validate_generation(program, 0, 0, asked.prompt, count, drawing.sampling);
  if (drawing.searches()) {
    refuse_given({{"--log-probabilities", !options.log_probabilities.empty()},
                  {"--stop", !options.stop_strings.empty()},
                  {"--prompt-cache", !options.prompt_cache.empty()}},
                 drawn_alone);
  }
  Kept kept(options);

  Compilation compilation;
  const std::unique_ptr<Engine> engine = open_engine(program, options.engine, View::plain, &compilation);
  if (!asked.tokenizer) asked.tokenizer = find_tokenizer(program, options.tokenizer, options.engine);
  require_text(asked.tokenizer, options.stop_strings);
  kept.cache.restore(*engine);
  if (!std::ranges::equal(engine->source(), asked.source)) engine->encode(asked.source);
  if (drawing.searches()) {
    search(*engine, asked, count, drawing, compilation);
  } else {
    draw(*engine, options, asked, count, drawing.sampling, compilation, kept);
  }
}

}  // namespace monomorph::cli
