#include "runtime/cli/asked.hpp"

#include "runtime/cli/prompt_file.hpp"
#include "runtime/cli/token_list.hpp"
#include "runtime/formats/checkpoint.hpp"

namespace monomorph::cli {

Asked read_asked(const Program& program, const RunOptions& options) {
  Asked asked;
  const bool answers = program.max_source_length > 0;
  const bool text = options.prompt || options.prompt_file;
  if (text || options.source.text) {
    // Weights that are not there are the first thing to say: the tokenizer is looked for beside them.
    if (!options.engine.random_weights) find_checkpoint(options.engine.weights);
    asked.tokenizer.emplace(open_tokenizer(program, options.tokenizer, options.engine));
  }
  asked.source = read_source(program, options.source, asked.tokenizer);
  if (text) {
    const std::string words = options.prompt ? *options.prompt : read_prompt_file(*options.prompt_file);
    asked.prompt = asked.tokenizer->encode(words, !answers);
    if (answers) asked.prompt.insert(asked.prompt.begin(), start_of_answer(program));
    if (asked.prompt.empty() && !options.denoise.wanted) {
      throw Error(ErrorKind::rejected, "the prompt has no tokens; write one, or name the first token with --tokens");
    }
  } else if (answers && options.tokens.empty()) {
    asked.prompt = {start_of_answer(program)};
  } else {
    asked.prompt = parse_tokens(options.tokens);
  }
  return asked;
}

void require_text(const std::optional<Tokenizer>& tokenizer, const std::vector<std::string>& stop_strings) {
  if (tokenizer || stop_strings.empty()) return;
  throw Error(ErrorKind::rejected, "--stop ends a text, and there is no tokenizer; name one with --tokenizer");
}

}  // namespace monomorph::cli
