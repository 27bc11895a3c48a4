// A string that is not closed, of which TOML's parser tells only what it met in its place: a line's end, or the file's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace monomorph::generator {

struct UnclosedString {
  std::size_t begin;   ///< byte of the text
  std::string quotes;  ///< those that it begins with, and lacks
};

/// The first of a TOML document.
std::optional<UnclosedString> find_unclosed_string(const std::string& text);

}  // namespace monomorph::generator
