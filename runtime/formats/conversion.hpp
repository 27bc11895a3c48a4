// Weights made narrower when they are loaded: floats to elements of a type, and what is told of it.
//
// q8_0 and q4_0 are what ggml's reference gives, bit for bit (ggml-quants.c, quantize_row_*_ref); f16 and bf16 are
// rounded to nearest, ties to even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "runtime/dtype.hpp"

namespace monomorph {

/// Whole blocks of `values` as f32, f16, bf16, q8_0 or q4_0, as a file has them. Gives the index of a value that the
/// type cannot hold, -1 where there is none: a finite one that would become infinite, and in a quantized type any that
/// is not finite.
std::int64_t encode_blocks(Dtype dtype, std::span<const float> values, std::byte* blocks);

/// Counts of matrices by what they are converted from and to.
using Conversions = std::map<std::pair<Dtype, Dtype>, std::int64_t>;

/// "f32 to q8_0: 14 matrices, f16 to q8_0: 1 matrix"; empty: none is converted.
std::string describe_conversions(const Conversions& conversions);

}  // namespace monomorph
