// [tokenizer]: special tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "generator/spec/field.hpp"

namespace monomorph::generator {

struct TokenizerSection {
  Field<std::int64_t> bos_token_id;               ///< absent: -1
  Field<std::vector<std::int64_t>> eos_token_id;  ///< one or a list
  Field<std::int64_t> decoder_start_token_id;     ///< absent: -1
  Field<std::int64_t> mask_token_id;              ///< absent: -1
};

}  // namespace monomorph::generator
