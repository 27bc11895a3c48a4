// Text as it is drawn, up to the first stop string: what may be the beginning of one is held back until it is known not
// to be. A stop string may lie within a token, or begin in one and end in another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/tokenizer.hpp"

namespace monomorph {

/// Throws Error(rejected) when one is empty or no UTF-8.
void validate_stop_strings(std::span<const std::string> stop_strings);

/// Uses the tokenizer, which must outlive it. Special tokens are no text. What it gives is always whole characters.
class TextStream {
 public:
  /// Of several stop strings, which are validated, the one that ends first counts, and of those the one that began
  /// first.
  explicit TextStream(const Tokenizer& tokenizer, std::vector<std::string> stop_strings = {});

  /// The text that may be shown now that `id` was drawn; nothing once a stop string has been reached.
  std::string push(std::int32_t id);
  /// At the end: what was held back.
  std::string finish();
  /// A stop string has been reached. It and what follows are never given.
  bool stopped() const { return stopped_; }

 private:
  std::string take(std::string_view text, bool last);

  Decoder decoder_;
  std::vector<std::string> stop_strings_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace monomorph
