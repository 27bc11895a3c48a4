// The static memory plan, as arithmetic: weights cut into slices and slices packed into allocations, arenas cut where
// nothing crosses. No call of Vulkan, so that it is tested without a device, and `info` prints it without one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/device_info.hpp"
#include "runtime/program/program.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::vulkan {

struct LayoutLimits {
  std::int64_t max_slice_bytes;  ///< what one descriptor may cover
  std::int64_t max_shard_bytes;  ///< what one allocation may have
  std::int64_t alignment;        ///< of a slice's offset, and of the row at which a tensor is cut
  bool separate = false;         ///< every slice, and every run of views that overlap, has an allocation of its own

  /// Without a device: what every Vulkan device has.
  static LayoutLimits guaranteed();
  static LayoutLimits of(const Limits& limits);
};

/// Rows first_row..first_row + rows - 1 of what the device stores, in one piece.
struct Slice {
  std::int32_t stored;
  std::int64_t first_row, rows;
  std::size_t shard;
  std::int64_t offset, bytes;
};

struct WeightLayout {
  std::vector<Slice> slices;             ///< by id of what is stored, then by row
  std::vector<std::size_t> first_slice;  ///< of each, and one past the last; of the same tensors the first has all
  std::vector<std::int64_t> shard_bytes;
  std::vector<std::int64_t> row_bytes;  ///< of each
  std::vector<std::int32_t> held_by;    ///< of each: itself, or the first of the same tensors

  std::span<const Slice> of(std::int32_t stored) const {
    const auto id = static_cast<std::size_t>(held_by[static_cast<std::size_t>(stored)]);
    return std::span(slices).subspan(first_slice[id], first_slice[id + 1] - first_slice[id]);
  }
  std::int64_t total_bytes() const;
};

/// Throws Error(device) when the limits leave no room for the smallest cut of a tensor.
WeightLayout lay_out_weights(std::span<const StoredEntry> stored, const LayoutLimits& limits);

/// A run of an arena that no view crosses the ends of: one buffer.
struct ArenaPiece {
  Arena arena;
  std::int64_t offset, bytes;
};

struct ArenaLayout {
  std::vector<ArenaPiece> pieces;  ///< by arena, then by offset
  /// The piece that holds a view.
  std::size_t piece_of(const BufferView& view) const;
};

/// One piece an arena where the limits allow, more where they do not. Throws Error(device) when a view alone is too
/// large, Error(internal) when a view lies outside its arena.
ArenaLayout lay_out_arenas(const Program& program, std::span<const BufferView> views, const LayoutLimits& limits);

/// Every place in an arena that the program's phases and the host use.
std::vector<BufferView> views_of(const Program& program);

}  // namespace monomorph::vulkan
