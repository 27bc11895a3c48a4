// Convolutions over the last few positions, of each element alone, as parts of a sub-block.
#pragma once

#include <string>
#include <vector>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct Axis;

/// The rule on the positions that a convolution sees, its token's own among them.
void check_conv_kernel(const Field<std::int64_t>& conv_kernel, const std::string& path, Diagnostics& diagnostics);

/// The part that it is, and the axis of what it is of, heads x elements.
struct Convolution {
  std::string word;
  Id<Axis> channels;
};
/// Their numbers, a bias where `bias` has the word, and what is kept of earlier tokens as the state "<word>_inputs". A
/// checkpoint may have them in one tensor.
void declare_convolutions(const std::vector<Convolution>& all, const Field<std::int64_t>& conv_kernel,
                          const Field<Biases>& bias, Declarations& declare);
Id<Value> build_convolution(const std::string& word, Builder& build, Id<Value> in, const std::string& role);

}  // namespace monomorph::generator
