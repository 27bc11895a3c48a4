#include "runtime/cli/sources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/cli/token_list.hpp"
#include "runtime/engine/validate.hpp"

namespace monomorph::cli {

std::vector<std::int32_t> read_source(const Program& program, const SourceChoice& choice,
                                      const std::optional<Tokenizer>& tokenizer) {
  if (program.max_source_length == 0) {
    if (choice.named()) require_sources(program);
    return {};
  }
  if (!choice.named()) {
    throw Error(ErrorKind::rejected,
                fmt::format("{} answers to a source; give one with --source or --source-tokens", program.name));
  }
  if (choice.text && !tokenizer) {
    throw Error(ErrorKind::rejected,
                "--source is a text, and there is no tokenizer; name one with --tokenizer, or give --source-tokens");
  }
  std::vector<std::int32_t> tokens = choice.text ? tokenizer->encode(*choice.text) : parse_tokens(choice.tokens);
  validate_source(program, {0, tokens});
  return tokens;
}

std::int32_t start_of_answer(const Program& program) {
  if (program.decoder_start_token >= 0) return program.decoder_start_token;
  throw Error(ErrorKind::rejected,
              fmt::format("nothing says what an answer of {} begins after; name tokens with --tokens, or build with "
                          "--set tokenizer.decoder_start_token_id=ID",
                          program.name));
}

TestSources::TestSources(const Program& program, std::int64_t slots) {
  if (program.max_source_length == 0) return;
  constexpr std::int64_t shortest = 19, longer = 7;  // each than the one before
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    tokens_.push_back(test_tokens(std::min(shortest + longer * slot, program.max_source_length), program.vocab_size));
  }
  for (std::int64_t slot = 0; slot < slots; ++slot) all_.push_back({slot, tokens_[static_cast<std::size_t>(slot)]});
}

void encode_test_sources(Engine& engine, std::int64_t slots) {
  const TestSources sources(engine.program(), slots);
  if (!sources.all().empty()) engine.encode(sources.all());
}

}  // namespace monomorph::cli
