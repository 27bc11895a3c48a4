// SentencePiece's own file, tokenizer.model: a protocol buffer.
// Source: https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto.
#pragma once

#include <string>
#include <string_view>

#include "runtime/tokenizer/sentence_pieces.hpp"

namespace monomorph {

/// `bytes` is the file's content, `file` its name in messages. Encoding adds the beginning-of-text piece where the
/// model has one, and pairs are refused. Throws Error(rejected) for what is no such file, and for models that are
/// neither unigram nor BPE.
SentencePieces read_sentencepiece(std::string_view bytes, const std::string& file);

}  // namespace monomorph
