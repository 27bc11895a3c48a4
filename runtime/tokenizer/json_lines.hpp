// Texts to ids and back, a line at a time: what `monomorph tokenize` does, for scripts and for comparing tokenizers.
#pragma once

#include <iosfwd>

#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph {

/// Each line of `input`, a JSON string, becomes a line of `output`, a JSON list of ids (special tokens added). Throws
/// Error(rejected) naming the first line that is no JSON string; lines before it have been written.
void encode_lines(const Tokenizer& tokenizer, std::istream& input, std::ostream& output);

/// Each line, a JSON list of ids, becomes a JSON string. Ids that are no token are rejected.
void decode_lines(const Tokenizer& tokenizer, std::istream& input, std::ostream& output);

}  // namespace monomorph
