// What an answer is to: the source of a model with an encoder, and the tokens that an answer begins after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph::cli {

/// A text, or token ids; neither: no source was named.
struct SourceChoice {
  std::optional<std::string> text;
  std::string tokens;  ///< "1,2,3"

  bool named() const { return text.has_value() || !tokens.empty(); }
};

/// The tokens of the source. A text is encoded with the special tokens that the tokenizer puts around one. Throws
/// Error(rejected) where the model reads none and one was named, or the other way round, and for what no source may be.
std::vector<std::int32_t> read_source(const Program& program, const SourceChoice& choice,
                                      const std::optional<Tokenizer>& tokenizer);

/// The token that an answer begins after; throws Error(rejected) where the model tells none.
std::int32_t start_of_answer(const Program& program);

/// For each of the first slots a source of tokens spread over the vocabulary, of a length of its own; none where the
/// model reads none. What bench and verify run.
class TestSources {
 public:
  TestSources(const Program& program, std::int64_t slots);
  std::span<const Source> all() const { return all_; }

 private:
  std::vector<std::vector<std::int32_t>> tokens_;
  std::vector<Source> all_;
};

/// Has the engine read them.
void encode_test_sources(Engine& engine, std::int64_t slots);

}  // namespace monomorph::cli
