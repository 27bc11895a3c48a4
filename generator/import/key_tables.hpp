// The keys of config.json that no reader maps: those that change no logit, each with the reason, and those that have
// one value that runs. A key in neither table that no reader has asked for is an error.
#pragma once

#include <span>

namespace monomorph::generator {

/// Bits, so that a row can name several.
enum Family : unsigned {
  family_llama = 1,
  family_mistral = 2,
  family_qwen2 = 4,
  family_qwen3 = 8,
  family_gpt2 = 16,
  family_rotary = 15,
  family_any = 31,
};

struct IgnoredKey {
  const char* key;
  unsigned families;
  const char* reason;
};

/// `allowed`: JSON texts, separated by spaces.
struct OnlyValue {
  const char* key;
  unsigned families;
  const char* allowed;
  const char* reason;  ///< what another value would ask for
};

std::span<const IgnoredKey> ignored_keys();
std::span<const OnlyValue> only_values();

}  // namespace monomorph::generator
