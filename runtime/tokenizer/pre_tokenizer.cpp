#include "runtime/tokenizer/pre_tokenizer.hpp"

#include <algorithm>
#include <utility>

#include "runtime/tokenizer/byte_alphabet.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

struct Stretch {
  std::size_t begin, end;
  bool delimiter;
};

/// The whole text as stretches that match and stretches that do not.
std::vector<Stretch> stretches_of(const SplitStep& step, std::string_view text) {
  std::vector<Stretch> stretches;
  std::size_t done = 0;
  for (const Pattern::Match match : step.pattern.find_all(text)) {
    if (done != match.begin) stretches.push_back({done, match.begin, step.invert});
    stretches.push_back({match.begin, match.end, !step.invert});
    done = match.end;
  }
  if (done != text.size()) stretches.push_back({done, text.size(), step.invert});
  return stretches;
}

/// Joins stretches to the one before them where `joins(delimiter, delimiter before)` says so.
template <class Joins>
std::vector<Stretch> join(const std::vector<Stretch>& stretches, Joins joins) {
  std::vector<Stretch> joined;
  bool before = false;
  for (const Stretch& stretch : stretches) {
    if (!joined.empty() && joins(stretch.delimiter, before)) {
      joined.back().begin = std::min(joined.back().begin, stretch.begin);
      joined.back().end = std::max(joined.back().end, stretch.end);
    } else {
      joined.push_back(stretch);
    }
    before = stretch.delimiter;
  }
  return joined;
}

struct Piece {
  std::string_view text;
  bool at_start;  ///< of the whole text
};

void split(const SplitStep& step, const Piece& piece, std::vector<Piece>& pieces) {
  const std::string_view text = piece.text;
  std::vector<Stretch> stretches = stretches_of(step, text);
  const auto delimiter_after_text = [](bool delimiter, bool before) { return delimiter && !before; };
  switch (step.behavior) {
    case SplitBehavior::isolated:
      break;
    case SplitBehavior::removed:
      std::erase_if(stretches, [](const Stretch& s) { return s.delimiter; });
      break;
    case SplitBehavior::contiguous:
      stretches = join(stretches, [](bool delimiter, bool before) { return delimiter == before; });
      break;
    case SplitBehavior::merged_with_previous:
      stretches = join(stretches, delimiter_after_text);
      break;
    case SplitBehavior::merged_with_next:
      std::reverse(stretches.begin(), stretches.end());
      stretches = join(stretches, delimiter_after_text);
      std::reverse(stretches.begin(), stretches.end());
      break;
  }
  for (const Stretch& stretch : stretches) {
    if (stretch.begin == stretch.end) continue;
    pieces.push_back({text.substr(stretch.begin, stretch.end - stretch.begin), piece.at_start && stretch.begin == 0});
  }
}

void mark_spaces(const MetaspaceStep& step, const Piece& piece, std::vector<Piece>& pieces,
                 std::deque<std::string>& rewritten) {
  std::string& text = rewritten.emplace_back(replace_text(piece.text, " ", step.mark));
  const bool prepend = step.prepend == MetaspaceStep::Prepend::always ||
                       (step.prepend == MetaspaceStep::Prepend::first && piece.at_start);
  if (prepend && !text.starts_with(step.mark)) text.insert(0, step.mark);
  if (step.split) {
    split(*step.split, {text, piece.at_start}, pieces);
  } else {
    pieces.push_back({text, piece.at_start});
  }
}

}  // namespace

std::vector<std::string_view> pre_tokenize(const std::vector<PreTokenizerStep>& steps, std::string_view text,
                                           bool at_start, std::deque<std::string>& rewritten) {
  std::vector<Piece> pieces;
  if (!text.empty()) pieces.push_back({text, at_start});
  for (const PreTokenizerStep& step : steps) {
    std::vector<Piece> next;
    for (const Piece& piece : pieces) {
      if (const auto* const pattern = std::get_if<SplitStep>(&step)) {
        split(*pattern, piece, next);
      } else if (const auto* const metaspace = std::get_if<MetaspaceStep>(&step)) {
        mark_spaces(*metaspace, piece, next, rewritten);
      } else if (const auto* const alphabet = std::get_if<ByteAlphabetStep>(&step)) {
        std::string text = alphabet->back ? bytes_of_alphabet(piece.text).value() : alphabet_of_bytes(piece.text);
        next.push_back({rewritten.emplace_back(std::move(text)), piece.at_start});
      } else if (piece.text.starts_with(' ')) {
        next.push_back(piece);
      } else {
        next.push_back({rewritten.emplace_back(1, ' ').append(piece.text), piece.at_start});
      }
    }
    pieces = std::move(next);
  }
  std::vector<std::string_view> words;
  for (const Piece& piece : pieces) words.push_back(piece.text);
  return words;
}

}  // namespace monomorph
