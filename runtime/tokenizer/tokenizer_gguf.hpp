// The tokenizer that a GGUF file carries among its metadata (tokenizer.ggml.*).
// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
#pragma once

#include <memory>
#include <string>

#include "runtime/formats/gguf.hpp"
#include "runtime/tokenizer/tokenizer_data.hpp"

namespace monomorph {

/// Models "llama" (SentencePiece's BPE), "t5" (its unigram), "gpt2" (byte-level BPE, with the pre-tokenizers that `pre`
/// names) and "bert" (WordPiece). Throws Error(rejected), naming `file` and the key.
std::unique_ptr<Tokenizer::Data> read_gguf_tokenizer(const GgufFile& gguf, const std::string& file);

}  // namespace monomorph
