// What a mistyped word was meant to be: keys of a spec, options, commands.
#pragma once

#include <string>
#include <vector>

namespace monomorph {

/// The candidate nearest to `word` (Levenshtein distance at most a third of its length,
/// two neighbours swapped counting as one), or "".
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace monomorph
