#include "runtime/vulkan/layout.hpp"
#include "runtime/enumerators.hpp"
#include "runtime/error.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace monomorph::vulkan {
namespace {

// Offsets of slices are multiples of this on every device: SwiftShader's alignment, the largest Vulkan allows.
constexpr std::int64_t plan_alignment = 256;
constexpr std::int64_t guaranteed_range = std::int64_t{128} << 20;
// Below what drivers serve in one allocation without trouble, above what makes their number grow.
constexpr std::int64_t preferred_shard = std::int64_t{1} << 30;

/// What makes the buffers of an arena smaller.
const char* remedy(const Program& program, Arena arena) {
  // The rows of logits are at most a chunk.
  if (arena == Arena::activations || arena == Arena::host) return "engine.prefill_chunk";
  const bool states = arena == Arena::states && program.max_batch > 1;
  return states ? "engine.max_batch or engine.max_sequence_length" : "engine.max_sequence_length";
}

std::int64_t align(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

LayoutLimits LayoutLimits::guaranteed() { return {guaranteed_range, preferred_shard, plan_alignment}; }

LayoutLimits LayoutLimits::of(const Limits& limits) {
  const std::int64_t shard = std::min(limits.max_allocation_size, preferred_shard);
  return {std::min(limits.max_storage_buffer_range, shard), shard,
          std::max(plan_alignment, limits.storage_offset_alignment), limits.separate_buffers};
}

std::int64_t WeightLayout::total_bytes() const {
  return std::accumulate(shard_bytes.begin(), shard_bytes.end(), std::int64_t{0});
}

WeightLayout lay_out_weights(std::span<const StoredEntry> stored, const LayoutLimits& limits) {
  WeightLayout layout;
  const auto place = [&](std::int32_t id, std::int64_t first_row, std::int64_t rows, std::int64_t bytes) {
    if (layout.shard_bytes.empty() || limits.separate ||
        align(layout.shard_bytes.back(), limits.alignment) + bytes > limits.max_shard_bytes) {
      layout.shard_bytes.push_back(0);
    }
    const std::int64_t offset = align(layout.shard_bytes.back(), limits.alignment);
    layout.slices.push_back({id, first_row, rows, layout.shard_bytes.size() - 1, offset, bytes});
    layout.shard_bytes.back() = offset + bytes;
  };
  for (std::size_t id = 0; id < stored.size(); ++id) {
    const StoredEntry& matrix = stored[id];
    const std::int64_t stride = matrix.row_bytes();
    layout.first_slice.push_back(layout.slices.size());
    layout.row_bytes.push_back(stride);
    layout.held_by.push_back(matrix.same_as < 0 ? static_cast<std::int32_t>(id) : matrix.same_as);
    if (matrix.same_as >= 0) continue;
    // Cuts are where descriptors can start: at an aligned offset.
    const std::int64_t aligned_rows = limits.alignment / std::gcd(limits.alignment, stride);
    const std::int64_t limit = std::min(limits.max_slice_bytes, limits.max_shard_bytes);
    std::int64_t step = matrix.pattern->rows;
    if (matrix.bytes() > limit) {
      step = limit / (aligned_rows * stride) * aligned_rows;
      if (step == 0) {
        throw Error(
            ErrorKind::device,
            fmt::format("{}: the device binds at most {} bytes at once, and {} rows of this weight, the fewest a "
                        "slice can have, take {}",
                        matrix.name, limit, std::min(aligned_rows, matrix.pattern->rows), aligned_rows * stride));
      }
    }
    for (std::int64_t row = 0; row < matrix.pattern->rows; row += step) {
      const std::int64_t rows = std::min(step, matrix.pattern->rows - row);
      place(static_cast<std::int32_t>(id), row, rows, rows * stride);
    }
  }
  layout.first_slice.push_back(layout.slices.size());
  return layout;
}

std::size_t ArenaLayout::piece_of(const BufferView& view) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const ArenaPiece& piece = pieces[i];
    if (piece.arena == view.arena && view.offset >= piece.offset &&
        view.offset + view.bytes <= piece.offset + piece.bytes) {
      return i;
    }
  }
  throw Error(ErrorKind::internal, fmt::format("no arena holds {} bytes at {}", view.bytes, view.offset));
}

ArenaLayout lay_out_arenas(const Program& program, std::span<const BufferView> views, const LayoutLimits& limits) {
  static constexpr const char* names[] = {"activations", "states", "host"};
  static_assert(std::size(names) == arena_count && arena_count == enumerator_count<Arena>());
  ArenaLayout layout;
  for (std::size_t a = 0; a < arena_count; ++a) {
    const Arena arena = static_cast<Arena>(a);
    std::vector<BufferView> used;
    for (const BufferView& view : views) {
      if (view.arena != arena) continue;
      if (view.offset < 0 || view.bytes <= 0 || view.offset + view.bytes > program.arena_bytes[a] ||
          view.offset % plan_alignment != 0) {
        throw Error(ErrorKind::internal, fmt::format("{} bytes at {} do not lie in {}, which has {}", view.bytes,
                                                     view.offset, names[a], program.arena_bytes[a]));
      }
      if (view.bytes > limits.max_slice_bytes) {
        throw Error(
            ErrorKind::device,
            fmt::format("{}: the device binds at most {} bytes at once, and one buffer needs {}; generate with a "
                        "smaller {}",
                        names[a], limits.max_slice_bytes, view.bytes, remedy(program, arena)));
      }
      used.push_back(view);
    }
    std::sort(used.begin(), used.end(), [](const BufferView& x, const BufferView& y) { return x.offset < y.offset; });
    // Runs of views that overlap cannot be cut; pieces are runs as far as one allocation holds them.
    std::int64_t run_begin = 0, run_end = 0;
    const auto close_run = [&] {
      if (run_end == run_begin) return;
      const bool fits = !layout.pieces.empty() && layout.pieces.back().arena == arena && !limits.separate &&
                        run_end - layout.pieces.back().offset <= limits.max_shard_bytes;
      if (fits) {
        layout.pieces.back().bytes = run_end - layout.pieces.back().offset;
      } else {
        if (run_end - run_begin > limits.max_shard_bytes) {
          throw Error(
              ErrorKind::device,
              fmt::format("{}: the device allocates at most {} bytes at once, and {} lie in one piece; generate "
                          "with a smaller {}",
                          names[a], limits.max_shard_bytes, run_end - run_begin, remedy(program, arena)));
        }
        layout.pieces.push_back({arena, run_begin, run_end - run_begin});
      }
    };
    for (const BufferView& view : used) {
      if (view.offset >= run_end) {
        close_run();
        run_begin = view.offset;
        run_end = view.offset;
      }
      run_end = std::max(run_end, view.offset + view.bytes);
    }
    close_run();
  }
  return layout;
}

std::vector<BufferView> views_of(const Program& program) {
  std::vector<BufferView> views{program.step, program.output};
  for (const RotaryAngles& angles : program.rotary_angles) views.push_back(angles.view);
  for (const monomorph::Phase& phase : program.phases) {
    Recorder recorder;
    phase.record(recorder);
    for (const Dispatch& dispatch : recorder.dispatches) {
      for (const Argument& argument : dispatch.arguments) {
        if (argument.stored < 0) views.push_back(argument.view);
      }
    }
    for (const Recorder::LayerEnd& end : recorder.layer_ends) views.push_back(end.hidden_states);
  }
  return views;
}

}  // namespace monomorph::vulkan
