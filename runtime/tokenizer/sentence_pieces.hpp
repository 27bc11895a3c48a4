// What a SentencePiece model says, wherever it is written: pieces with scores, and what is done to text before them.
// Sources: https://github.com/google/sentencepiece, sentencepiece_model.proto, bpe_model.cc, unigram_model.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/tokenizer/tokenizer_data.hpp"

namespace monomorph {

struct SentencePieces {
  enum class Algorithm { unigram, bpe };
  /// By the numbers of sentencepiece_model.proto.
  enum class Kind : std::uint32_t { normal = 1, unknown, control, user_defined, unused, byte };
  struct Piece {
    std::string content;
    double score = 0.0;
    Kind kind = Kind::normal;
  };

  Algorithm algorithm = Algorithm::unigram;
  std::vector<Piece> pieces;  ///< by id
  std::string charsmap;       ///< replacements, as Charsmap reads them; "": none
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool byte_fallback = false;
  bool user_defined_as_text = false;  ///< those pieces are written as in a text, not with marks for spaces
  PostProcessor post_processor;
};

/// The tokenizer that they are: the steps by which the `tokenizers` library does the same. Throws Error(rejected),
/// which begins with `file`.
std::unique_ptr<Tokenizer::Data> make_data(const SentencePieces& model, const std::string& file);

}  // namespace monomorph
