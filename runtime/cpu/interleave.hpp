// Rows of blocks interleaved (levels/level.hpp says how): products by digits read them fastest so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/cpu/levels/level.hpp"
#include "runtime/dtype.hpp"

namespace monomorph::cpu {

/// Interleaves `count` rows, a multiple of eight, of so many bytes each, which stand one after another. `out` has room
/// for them.
void interleave(Dtype dtype, const std::byte* rows, std::int64_t count, std::int64_t row_bytes, std::byte* out);

/// One of eight interleaved rows, 0 to 7, as a file has it.
void copy_interleaved_row(Dtype dtype, const std::byte* eight, std::int64_t row, std::int64_t row_bytes,
                          std::byte* out);

}  // namespace monomorph::cpu
