// What attention reads of an earlier layer, the last one of a kind that its section names: values that are mixed into
// its own before they are kept (value residuals, ResFormer, Zhou et al. 2024), or keys and values in place of its own.
#pragma once

#include "generator/blocks/attention.hpp"

namespace monomorph::generator {

/// The rules on values_from, value_mix and keys_and_values_from.
void check_earlier_layer(const BlockContext& context, Diagnostics& diagnostics);
/// The learned numbers that the mix names.
void declare_value_mix(const BlockContext& context, Declarations& declare);
/// The values that a layer keeps. What its v gives is given to later layers where a kind of them asks for it.
Id<Value> build_values(const BlockContext& context, Builder& build, Id<Value> in);

}  // namespace monomorph::generator
