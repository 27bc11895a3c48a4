// Quantized tensors whose blocks and scales are tensors of their own: MXFP4 as the hub has gpt-oss. In the place of X
// there are X_blocks, U8 of [..., rows, blocks of a row, 16], and X_scales, U8 of [..., rows, blocks of a row]. Byte i
// of a block has the codes of elements 2 i, in its low bits, and 2 i + 1.
//
// Format: transformers, integrations/mxfp4.py.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/formats/checkpoint.hpp"

namespace monomorph {

/// Bytes of X_blocks that are one block of 32 elements.
constexpr std::int64_t split_block_bytes = 16;

/// Puts X, MXFP4 of [..., rows, columns], in the place of each X_blocks and X_scales whose shapes agree; what does not
/// is left as it is. `tensors` is ordered by name, and stays so.
void join_split_blocks(std::vector<CheckpointTensor>& tensors);

/// Whole blocks as Dtype::mxfp4 has them, from the first one of `blocks` and of `scales` on.
void copy_split_blocks(const std::byte* blocks, const std::byte* scales, std::span<std::byte> out);

}  // namespace monomorph
