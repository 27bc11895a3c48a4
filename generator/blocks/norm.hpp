// Normalisation: the numbers of a norm, and the norms around a sub-block.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct NormContract;

NormContract derive_norm(const NormSection& norm);

/// The weights and the bias that a norm of the hidden size has.
void declare_norm(const std::string& word, const NormSection& norm, Declarations& declare);
/// The norm of one place around the block, which the builder has entered.
Id<Value> build_norm(const std::string& place, const Field<NormChoice>& choice, const Block& block, Builder& build,
                     Id<Value> in, const std::string& role);

}  // namespace monomorph::generator
