// From what the forward pass says to what the device is told: each dispatch is split where its weights lie in several
// slices or its grid would be too large, arguments become places in buffers, and hazards are known. No call of Vulkan.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/program/hazards.hpp"
#include "runtime/program/program.hpp"
#include "runtime/vulkan/layout.hpp"
#include "runtime/vulkan/tuning.hpp"

namespace monomorph::vulkan {

/// Bytes of a buffer: weights' shards first, then arenas' pieces.
struct Place {
  std::size_t buffer;
  std::int64_t offset, bytes;
  auto operator<=>(const Place&) const = default;
};

/// One vkCmdDispatch.
struct Command {
  std::int32_t kernel;
  std::int64_t first_row, row_count;
  std::int64_t groups_x, groups_y;
  std::vector<Place> arguments;      ///< by binding
  std::vector<ByteAccess> accesses;  ///< of arenas; weights are never written
  std::int64_t per_row;              ///< query rows or entries of each row of the pass
  std::int64_t banks;                ///< whose rows first_row and row_count count; 1: they are none of banks
  std::int64_t bank_rows = 0;        ///< of each bank
  std::optional<Place> choice{};     ///< where it reads which banks each row has (choice_binding)

  /// Rows, query rows or entries in a pass of `n` rows.
  std::int64_t counted(std::int64_t n) const { return n * per_row; }
};

struct LayerEnd {
  std::int64_t layer;
  std::size_t command_count;  ///< commands before this point
  Place hidden_states;
};

/// A phase of the program for passes of up to so many rows, ready to be recorded.
struct Schedule {
  std::int64_t rows = 1;
  std::vector<Command> commands;
  std::vector<LayerEnd> layer_ends;
};

struct ScheduleInput {
  const Program& program;
  const WeightLayout& weights;
  const ArenaLayout& arenas;
  const DeviceFacts& facts;
  const std::vector<Tile>& tiles;  ///< by kernel
  const Limits& limits;
};

/// The phase's grids are exact for `rows` rows. Throws Error(internal) where the program contradicts itself,
/// Error(device) where a limit leaves no way.
Schedule make_schedule(const ScheduleInput& input, const Phase& phase, std::int64_t rows);

/// The place of a view among the buffers.
Place place_of(const WeightLayout& weights, const ArenaLayout& arenas, const BufferView& view);

}  // namespace monomorph::vulkan
