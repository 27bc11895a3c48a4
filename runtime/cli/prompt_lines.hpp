// The file that `run --prompts` names: an object of JSON a line, {"prompt": "Once"} or {"tokens": [1, 2]}, with
// whatever of a text differs from what the command says, under the names of its options:
//
//   count, temperature, top_k, top_p, min_p, seed, repetition_penalty, presence_penalty, frequency_penalty,
//   no_repeat_ngram_size, min_new_tokens
//   stop    a text, or a list of texts
//   id      any value, which the answer has, too
//
// Lines are counted from 0; those of white space alone count and are passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cli/input.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph::cli {

/// Lines as they come.
class PromptLines {
 public:
  struct Line {
    std::int64_t index = 0;  ///< from 0
    std::string text;
    std::int64_t end = 0;  ///< bytes of the file up to it, itself included
  };

  /// "-": standard input. Throws what Input throws.
  explicit PromptLines(const std::string& path) : input_(path) {}

  /// The next line that is not empty. Nothing at the end, or, unless it is to `wait`, where the line has not come yet.
  /// Throws what Input::read throws.
  std::optional<Line> next(bool wait);
  /// No line follows.
  bool ended() const { return ended_ && begin_ >= buffer_.size(); }
  const Input& input() const { return input_; }

 private:
  std::optional<std::string> next_line(bool wait);

  Input input_;
  std::string buffer_;
  std::size_t begin_ = 0;     ///< of the next line, in buffer_
  std::size_t searched_ = 0;  ///< no line ends before here
  bool ended_ = false;        ///< all is in buffer_
  std::int64_t lines_ = 0, taken_ = 0;
};

/// What a text is continued by.
struct PromptSettings {
  std::optional<std::int64_t> count{};
  Sampling sampling{};
  std::vector<std::string> stop_strings{};
};

struct PromptLine {
  std::vector<std::int32_t> source;  ///< what it answers to
  bool begins_answer = false;        ///< tokens are words of an answer, whose first token stands before them
  std::vector<std::int32_t> tokens;
  PromptSettings settings;
};

/// The value of a line, an object. Throws Error(rejected).
Json parse_prompt_line(std::string_view line);
/// What such an object asks, over `otherwise`. Throws Error(rejected) that names the key, or what Tokenizer::encode
/// throws. Whether the tokens and settings are an engine's is its own to say.
PromptLine read_prompt_line(const Json& line, const PromptSettings& otherwise,
                            const std::optional<Tokenizer>& tokenizer);

}  // namespace monomorph::cli
