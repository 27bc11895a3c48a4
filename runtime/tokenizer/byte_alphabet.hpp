// GPT-2's alphabet for bytes: tokenizer.json writes a token's bytes as printable characters, those of Latin-1 as
// themselves, the others as U+0100 onwards (https://github.com/openai/gpt-2, encoder.py, bytes_to_unicode).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace monomorph {

/// The bytes that `text` spells; nothing when a character is outside the alphabet.
std::optional<std::string> bytes_of_alphabet(std::string_view text);

/// The other way round.
std::string alphabet_of_bytes(std::string_view bytes);

}  // namespace monomorph
