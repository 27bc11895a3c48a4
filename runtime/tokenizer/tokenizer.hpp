// Text to token ids and back, as the hub's tokenizer.json describes it: equal to what the `tokenizers` library gives
// for the same file.
//
// Read: added tokens; normalizers NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend,
// BertNormalizer, Precompiled; pre-tokenizers ByteLevel, Split, Digits, Metaspace, Whitespace, WhitespaceSplit,
// BertPreTokenizer, Punctuation, CharDelimiterSplit; models BPE (of bytes, and of characters with byte fallback),
// Unigram, WordPiece, WordLevel; post-processors TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel;
// decoders ByteLevel, ByteFallback, Fuse, Replace, Strip, Metaspace, WordPiece; sequences of them. Everything else is
// refused by name (Error(rejected)): a tokenizer that loads is one whose ids are right. The file's own `truncation` and
// `padding` concern batches and are not applied.
//
// A Tokenizer is not changed by use, and may be used by several threads at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/decoding.hpp"

namespace monomorph {

/// Tokens, and the type of each (`token_type_ids`). In most models it tells which of two texts the token is of.
struct EncodedText {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> types;
};

class Tokenizer {
 public:
  /// `path`: a tokenizer.json, or the directory that holds one. Throws Error(environment) when there is none, and
  /// Error(rejected) for what is not read.
  static Tokenizer load(const std::filesystem::path& path);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// Added tokens that stand in the text become their ids. `add_special` adds what the post-processor's template adds
  /// (a beginning-of-text token, where the model has one). Throws Error(rejected) when the text is not UTF-8.
  std::vector<std::int32_t> encode(std::string_view text, bool add_special = true) const;

  /// With special tokens and types. At most `max_tokens`, special ones included, where it is given: the text then loses
  /// its end. Throws as encode does, and Error(rejected) when the special tokens alone are more than `max_tokens`.
  EncodedText encode_single(std::string_view text, std::optional<std::int64_t> max_tokens = std::nullopt) const;
  /// Two texts, as the post-processor's template for pairs joins them. Where there are too many tokens, the longer text
  /// loses its end, and then both do (the `tokenizers` library's `longest_first`). Throws as encode_single does, and
  /// Error(rejected) when the file has no template for pairs: a tokenizer.model has none, a GGUF file has one where
  /// `add_sep_token` is true.
  EncodedText encode_pair(std::string_view first, std::string_view second,
                          std::optional<std::int64_t> max_tokens = std::nullopt) const;

  /// Always UTF-8: bytes that form no character become U+FFFD. Ids that are no token (a model's vocabulary may be
  /// padded) give nothing. `skip_special` leaves out the tokens marked special.
  std::string decode(std::span<const std::int32_t> ids, bool skip_special = false) const;

  std::int64_t vocab_size() const;  ///< the highest id + 1, added tokens included
  std::optional<std::int32_t> token_id(std::string_view content) const;

  struct Data;
  explicit Tokenizer(std::unique_ptr<const Data> data);

 private:
  friend class Decoder;
  std::unique_ptr<const Data> data_;
};

/// Decodes token by token. What it gives is always whole characters, and adds up to what Tokenizer::decode gives.
/// Uses the tokenizer, which must outlive it.
class Decoder {
 public:
  explicit Decoder(const Tokenizer& tokenizer, bool skip_special = false);
  std::string push(std::int32_t id);
  /// What is left at the end: of bytes that wait for others to complete a character, U+FFFD.
  std::string finish();

 private:
  const Tokenizer::Data* data_;
  bool skip_special_;
  DecodeStream stream_;
};

}  // namespace monomorph
