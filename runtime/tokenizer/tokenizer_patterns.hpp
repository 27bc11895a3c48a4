// How byte-level tokenizers cut text into words, by the names that GGUF files give to it (tokenizer.ggml.pre). Patterns
// are those of the models' own tokenizer.json, one after another.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace monomorph {

/// https://github.com/openai/gpt-2, encoder.py.
inline constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

struct NamedPreTokenizer {
  std::span<const std::string_view> names;
  std::span<const std::string_view> patterns;
  bool nfc = false;
  bool ignore_merges = false;
  bool adds_bos = false, adds_sep = false;  ///< where the file does not say
};

/// nullptr: the name is not known.
const NamedPreTokenizer* find_pre_tokenizer(std::string_view name);
std::vector<std::string_view> pre_tokenizer_names();

}  // namespace monomorph
