// Byte-level BPE as the hub's tokenizer.json describes it: text to token ids and back, equal to what the `tokenizers`
// library gives for the same file.
//
// Read: added tokens; normalizer NFC; pre-tokenizers ByteLevel, Split, Digits and sequences of them; model BPE over the
// byte-level alphabet; post-processors TemplateProcessing and ByteLevel; decoder ByteLevel. Everything else is refused
// by name (Error(rejected)): a tokenizer that loads is one whose ids are right. `truncation` and `padding` concern
// batches and are not applied.
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

namespace monomorph {

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

  /// Always UTF-8: bytes that form no character become U+FFFD. Ids that are no token (a model's vocabulary may be
  /// padded) give nothing. `skip_special` leaves out the tokens marked special.
  std::string decode(std::span<const std::int32_t> ids, bool skip_special = false) const;

  std::int64_t vocab_size() const;  ///< the highest id + 1, added tokens included
  std::optional<std::int32_t> token_id(std::string_view content) const;
  bool is_special(std::int32_t id) const;

  struct Data;

 private:
  friend class Decoder;
  explicit Tokenizer(std::unique_ptr<const Data> data);
  std::unique_ptr<const Data> data_;
};

/// Decodes token by token. What it gives is always whole characters, and adds up to what Tokenizer::decode gives.
/// Uses the tokenizer, which must outlive it.
class Decoder {
 public:
  explicit Decoder(const Tokenizer& tokenizer, bool skip_special = false);
  std::string push(std::int32_t id);
  /// What is left at the end: U+FFFD for a character that was begun, else nothing.
  std::string finish();

 private:
  const Tokenizer::Data* data_;
  bool skip_special_;
  std::string pending_;  ///< the beginning of a character
};

}  // namespace monomorph
