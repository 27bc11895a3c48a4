// The token shift of RWKV (Peng et al. 2023): what a sub-block reads is mixed with what it read of the token before,
// each of its inputs by numbers of its own.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

/// A vector "mix_<word>" for each of these inputs, and what the last token had.
void declare_token_shift(const std::vector<std::string>& words, const Field<std::int64_t>& hidden_size,
                         Declarations& declare);

/// `in` shifted, for each of the words: x * mix + before * (1 - mix).
std::vector<Id<Value>> build_token_shift(const std::vector<std::string>& words, Builder& build, Id<Value> in);

}  // namespace monomorph::generator
