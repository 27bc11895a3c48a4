// Where a CPU's arenas and weights lie.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/cpu/memory.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/program/program.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::cpu {

/// Whether quantized matrices are read where a checkpoint's files are mapped, or are copied to pages of 2 MiB. A file's
/// pages have 4 KiB: a processor looks up where each of them lies, and reads weights a tenth more slowly.
enum class Quantized { mapped, copied };

/// Bytes of a program's weights: those that are read where a checkpoint's files are mapped, and those that are copied,
/// since they are quantized, or the checkpoint has them transposed, in another type, or in pieces. Without a checkpoint
/// the program alone is asked. It does not know whether a file has MXFP4's scales in tensors of their own, and takes
/// such rows for mapped.
struct WeightBytes {
  std::int64_t mapped = 0, copied = 0;
};
WeightBytes weight_bytes(const Program& program, const HostWeights* weights, Quantized quantized);

/// Arenas, and weights: what kernels find row by row may lie where the file is mapped, all else is copied as the file
/// has it, or interleaved (interleave.hpp) where a level's loops are faster so.
class Storage {
 public:
  /// `weights` outlive it. Progress is of what is copied.
  Storage(const Program& program, const HostWeights& weights, Quantized quantized, const Level& level,
          const LoadProgress& progress);

  std::byte* at(const BufferView& view) const {
    return arenas_[static_cast<std::size_t>(view.arena)].data() + view.offset;
  }
  Argument stored(std::int32_t id) const;

 private:
  std::array<Memory, arena_count> arenas_;
  Memory copied_, quantized_;
  struct Held {
    std::vector<const std::byte*> rows;  ///< where each begins
    std::int64_t interleaved = 0;        ///< how many of them, from the first on, are interleaved
  };
  /// Copies all rows, interleaved as held_ has it; tells how many bytes it has copied.
  void copy(const HostWeights& weights, std::int32_t id, std::byte* to,
            const std::function<void(std::int64_t)>& progress);

  std::vector<Held> held_;             ///< what is stored
  std::vector<std::int32_t> held_by_;  ///< of each: itself, or the first of the same tensors
};

}  // namespace monomorph::cpu
