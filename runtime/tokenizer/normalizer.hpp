// What a text goes through before it is cut: one function after another, each UTF-8 to UTF-8, equal to the `tokenizers`
// library's normalizer of the same name. Characters' classes are those of utf8proc's tables (Unicode 15.0 in Debian
// 12); the library leaves combining marks that were assigned since 13.0 where they stand.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/pattern.hpp"

namespace monomorph {

using NormalizerStep = std::function<std::string(std::string_view)>;

/// The forms of UAX #15.
enum class UnicodeForm { nfc, nfd, nfkc, nfkd };
std::string to_form(UnicodeForm form, std::string_view text);

/// Character by character.
std::string lowercase(std::string_view text);
/// `content` in place of each match.
std::string replace_all(const Pattern& pattern, std::string_view content, std::string_view text);
/// Without the white space at its ends.
std::string strip_space(bool left, bool right, std::string_view text);

/// Marks that attach to what is before them: those without a width of their own (Mn), or all (M).
enum class Marks { nonspacing, all };
std::string remove_marks(Marks marks, std::string_view text);

/// BERT's: no control characters, every white space a space; a space on both sides of each Chinese character.
std::string clean_text(std::string_view text);
std::string separate_chinese(std::string_view text);

std::string normalize(const std::vector<NormalizerStep>& steps, std::string_view text);

}  // namespace monomorph
