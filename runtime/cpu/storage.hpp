// Where a CPU's arenas and weights lie.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/cpu/memory.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/program/program.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::cpu {

/// Whether quantized matrices are read where a checkpoint's files are mapped, or are copied to pages of 2 MiB. A file's
/// pages are of 4 KiB: a processor looks up where each of them lies, and reads weights a tenth more slowly.
enum class Quantized { mapped, copied };

/// Bytes of a program's weights: those that are read where a checkpoint's files are mapped, and those that are copied,
/// since they are quantized, or the checkpoint has them transposed, in another type, or in pieces.
struct WeightBytes {
  std::int64_t mapped = 0, copied = 0;
};
WeightBytes weight_bytes(const Program& program, Quantized quantized);

/// Arenas, and weights as a file has them: what kernels find row by row may lie where the file is mapped, all else is
/// copied.
class Storage {
 public:
  /// `weights` outlive it. Progress is of what is copied.
  Storage(const Program& program, const HostWeights& weights, Quantized quantized, const LoadProgress& progress);

  std::byte* at(const BufferView& view) const {
    return arenas_[static_cast<std::size_t>(view.arena)].data() + view.offset;
  }
  Argument stored(std::int32_t id) const;

 private:
  std::array<Memory, arena_count> arenas_;
  Memory copied_, quantized_;
  std::vector<std::vector<const std::byte*>> rows_;  ///< of what is stored: where each begins
  std::vector<std::int32_t> held_by_;                ///< of each: itself, or the first of the same tensors
};

}  // namespace monomorph::cpu
