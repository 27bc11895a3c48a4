// A convolution over the last few positions, of each element alone, as part of a sub-block.
#pragma once

#include <string>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct Axis;

/// The rule on the positions that a convolution sees, its token's own among them.
void check_conv_kernel(const Field<std::int64_t>& conv_kernel, const std::string& path, Diagnostics& diagnostics);
/// Its numbers as the part `word`, its bias where there is one, and what is kept of earlier tokens as the state
/// "<word>_inputs". `channels`: what it is of, heads x elements.
void declare_convolution(const std::string& word, Id<Axis> channels, const Field<std::int64_t>& conv_kernel, bool bias,
                         Declarations& declare);
Id<Value> build_convolution(const std::string& word, Builder& build, Id<Value> in, const std::string& role);

}  // namespace monomorph::generator
