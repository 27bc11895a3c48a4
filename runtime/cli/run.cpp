#include <fmt/format.h>

#include <vector>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/validate.hpp"

namespace monomorph::cli {
namespace {

/// Where drawn tokens go: text through the decoder, or ids.
class Printer {
 public:
  explicit Printer(const std::optional<Tokenizer>& tokenizer) {
    if (tokenizer) decoder_.emplace(*tokenizer, true);
  }
  void token(std::int32_t id) {
    if (decoder_) {
      print(decoder_->push(id));
    } else {
      print(fmt::format("{}{}", first_ ? "" : ",", id));
    }
    first_ = false;
  }
  void finish() { print(decoder_ ? decoder_->finish() + "\n" : "\n"); }

 private:
  std::optional<Decoder> decoder_;
  bool first_ = true;
};

std::string figures(const Program& program, std::size_t prompt, const Engine::Generation& generation) {
  const auto rate = [](std::size_t tokens, double seconds) {
    return seconds > 0 ? fmt::format("{:.1f} tokens/s", static_cast<double>(tokens) / seconds) : std::string("no time");
  };
  std::string text = fmt::format("prompt: {} tokens in {:.3f} s, {}\n", prompt, generation.prefill_seconds,
                                 rate(prompt, generation.prefill_seconds));
  // The first token is drawn at the end of the prompt's pass.
  const std::size_t steps = generation.tokens.empty() ? 0 : generation.tokens.size() - 1;
  text += fmt::format("drawn: {} tokens in {:.3f} s, {}{}\n", generation.tokens.size(), generation.decode_seconds,
                      rate(steps, generation.decode_seconds), generation.stopped ? ", ended by a stop token" : "");
  if (generation.full) {
    text +=
        fmt::format("the sequence is full: max_sequence_length is {}; build with a longer engine.max_sequence_length\n",
                    program.max_sequence_length);
  }
  return text;
}

}  // namespace

void run(const Program& program, const RunOptions& options) {
  std::optional<Tokenizer> tokenizer;
  std::vector<std::int32_t> prompt;
  if (options.prompt) {
    tokenizer.emplace(open_tokenizer(program, options.tokenizer, options.engine));
    prompt = tokenizer->encode(*options.prompt);
    if (prompt.empty()) {
      throw Error(ErrorKind::rejected, "the prompt has no tokens; write one, or name the first token with --tokens");
    }
  } else {
    prompt = parse_tokens(options.tokens);
  }
  validate_generation(program, 0, prompt, options.count, options.sampling);

  const std::unique_ptr<Engine> engine = open_engine(program, options.engine);
  if (!options.prompt) tokenizer = find_tokenizer(program, options.tokenizer, options.engine);
  Printer printer(tokenizer);
  const Engine::Generation generation =
      engine->generate(prompt, options.count, options.sampling, [&](std::int32_t token) {
        printer.token(token);
        return !interrupted();
      });
  printer.finish();
  print_error(figures(program, prompt.size(), generation));
}

}  // namespace monomorph::cli
