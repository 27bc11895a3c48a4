// Pre-tokenization: cutting a text into the words that byte-pair encoding works within. A list of steps, each applied
// to every piece that the one before gave; they are the `tokenizers` library's, reduced to a few elementary
// ones.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/tokenizer/pattern.hpp"

namespace monomorph {

/// What becomes of the stretches a pattern matches.
enum class SplitBehavior { isolated, removed, merged_with_previous, merged_with_next, contiguous };

struct SplitStep {
  Pattern pattern;
  SplitBehavior behavior;
  bool invert;  ///< what does not match is the delimiter
};

/// A space before a piece that does not begin with one.
struct PrefixSpaceStep {};

/// Metaspace: spaces become `mark`; one is put before a piece that does not begin with it, and begins a new piece each.
struct MetaspaceStep {
  enum class Prepend { always, first, never };  ///< first: before what the text begins with
  std::string mark;
  Prepend prepend;
  std::optional<SplitStep> split;
};

/// From here on pieces are written in GPT-2's alphabet for bytes; or, `back`, are bytes again.
struct ByteAlphabetStep {
  bool back;
};

using PreTokenizerStep = std::variant<SplitStep, PrefixSpaceStep, MetaspaceStep, ByteAlphabetStep>;

/// The non-empty pieces of `text` after all steps; `at_start`: nothing stands before it. Pieces that no step has
/// rewritten point into `text`, others into `rewritten`; both must outlive them.
std::vector<std::string_view> pre_tokenize(const std::vector<PreTokenizerStep>& steps, std::string_view text,
                                           bool at_start, std::deque<std::string>& rewritten);

}  // namespace monomorph
