// Values of an earlier layer mixed into a layer's own before they are kept: value residuals (ResFormer, Zhou et al.
// 2024), where the earlier layer is the first.
#pragma once

#include "generator/blocks/attention.hpp"

namespace monomorph::generator {

/// The rules on values_from and value_mix.
void check_value_mix(const BlockContext& context, Diagnostics& diagnostics);
/// The learned numbers that the mix names.
void declare_value_mix(const BlockContext& context, Declarations& declare);
/// The values that a layer keeps. What its v gives is given to later layers where a kind of them asks for it.
Id<Value> build_values(const BlockContext& context, Builder& build, Id<Value> in);

}  // namespace monomorph::generator
