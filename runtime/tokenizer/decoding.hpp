// The way back: what each token is written as passes through steps, one after another, to become text. They are the
// decoders of the `tokenizers` library, as filters of a stream: what they give is always whole characters.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/tokenizer/pattern.hpp"

namespace monomorph {

struct ReplaceInTokens {
  Pattern pattern;
  std::string content;
};
/// "<0x0A>" is a byte: a run of them is the text that they spell; where they spell none, a token U+FFFD for each, or,
/// as SentencePiece does, for each `that_spells_none`.
struct BytesFromNames {
  bool that_spells_none = false;
};
/// SentencePiece: the first token loses a `mark` at its front; `all`: each does up to the first text.
struct DropFrontMark {
  std::string mark;
  bool all;
};
/// GPT-2's alphabet spells bytes; what they do not complete to a character is U+FFFD.
struct BytesFromAlphabet {};
/// What follows sees one text, not tokens.
struct Fuse {};
struct StripContent {
  std::string content;  ///< one character
  int left, right;      ///< the most that are taken away
};
/// Metaspace: `replacement` is a space; in the first token nothing, where `drop_first`.
struct SpacesFromMarks {
  std::string replacement;
  bool drop_first;
};
/// WordPiece: a space before all tokens but the first and those that begin with `prefix`, which is taken away.
struct JoinPieces {
  std::string prefix;
  bool cleanup;  ///< no space before punctuation and the like
};
/// Where there is no decoder: a space between tokens.
struct JoinTokens {};

using DecodeStep = std::variant<ReplaceInTokens, BytesFromNames, DropFrontMark, BytesFromAlphabet, Fuse, StripContent,
                                SpacesFromMarks, JoinPieces, JoinTokens>;

/// Steps at work on one stream. Uses them; they must outlive it.
class DecodeStream {
 public:
  explicit DecodeStream(const std::vector<DecodeStep>& steps) : steps_(&steps), states_(steps.size()) {}
  /// A token's content; the text that is certain after it.
  std::string push(std::string_view token);
  std::string finish();

 private:
  struct State {
    bool begun = false;       ///< a text has passed
    bool fused = false;       ///< what passes are parts of one text
    int stripped = 0;         ///< of a fused text
    bool past_front = false;  ///< of DropFrontMark: no mark is dropped any more
    std::string pending;      ///< bytes of what is no character yet
  };
  void pass(std::size_t step, std::string text, std::string& out);
  void end(std::size_t step, std::string& out);
  void pass_bytes(std::size_t step, std::string& out);

  const std::vector<DecodeStep>* steps_;
  std::vector<State> states_;
};

}  // namespace monomorph
