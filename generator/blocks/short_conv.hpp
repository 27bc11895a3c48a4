// A gated short convolution (LFM2, arXiv 2511.23404): o(c * conv(b * x)), with b, c and x projections of what is read
// and a causal convolution over a few positions, of each element alone.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct ShortConvSection {
  Field<std::int64_t> conv_kernel;  ///< positions that the convolution sees, the token's own among them
  Field<Biases> bias;               ///< of b, c, x, conv, o
};

BlockType short_conv_block();

}  // namespace monomorph::generator
