// Normalisation: the numbers of a norm, and the norms around a sub-block.
#pragma once

#include "generator/blocks/block.hpp"
#include "generator/contract/contract.hpp"

namespace monomorph::generator {

NormContract derive_norm(const NormSection& norm);

/// The norm of one place around the block the builder has entered.
Id<Value> build_norm(const std::string& place, const BlockContext& context, Builder& build, Id<Value> in,
                     const std::string& role);

}  // namespace monomorph::generator
