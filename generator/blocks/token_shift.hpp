// The token shift of RWKV (Peng et al. 2023, 2024): what a sub-block reads is mixed with what it read of the token
// before, each of its inputs by numbers of its own, to which may be added what a matrix of low rank makes of both.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

/// How tokens are mixed.
struct TokenShift {
  bool weighs_before = false;         ///< the numbers are shares of the token before, else of the token itself
  const Field<std::int64_t>* rank{};  ///< of what is added to them; null: nothing is
};

/// The parts that the numbers and what is added to them have, of these inputs.
std::vector<std::string> token_shift_parts(const std::vector<std::string>& words, bool ranked);

/// A vector "mix_<word>" for each of these inputs, and what the last token had. With a rank, a vector "mix" and
/// matrices "mix_<word>_down" and "mix_<word>_up".
void declare_token_shift(const std::vector<std::string>& words, const Field<std::int64_t>& hidden_size,
                         const TokenShift& how, Declarations& declare);

/// `in` shifted, for each of the words: x * mix + before * (1 - mix), or x + (before - x) * mix. To mix is added
/// up(tanh(down(z))), where z is `in` shifted by the vector "mix".
std::vector<Id<Value>> build_token_shift(const std::vector<std::string>& words, const TokenShift& how, Builder& build,
                                         Id<Value> in);

}  // namespace monomorph::generator
