// From what the forward pass says to what the device is told: each dispatch is split where its weights lie in several
// slices or its grid would be too large, arguments become places in buffers, and hazards are known. No call of Vulkan.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "runtime/program.hpp"
#include "runtime/vulkan/hazards.hpp"
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
struct Step {
  std::int32_t kernel;
  std::int64_t first_row, row_count;
  std::int64_t tokens;  ///< the most this step serves, as the dispatch counts them
  std::int64_t groups_x;
  std::vector<Place> arguments;      ///< by binding
  std::vector<ByteAccess> accesses;  ///< of arenas; weights are never written
  std::size_t dispatch;              ///< index into the phase's recorder
};

struct LayerEnd {
  std::int64_t layer;
  std::size_t step_count;  ///< steps before this point
  Place hidden_states;
};

/// A phase of the program (prefill, decode, head or sample) ready to be recorded.
struct Phase {
  std::vector<Step> steps;
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

/// Throws Error(internal) where the program contradicts itself, Error(device) where a limit leaves no way.
Phase make_phase(const ScheduleInput& input, void (*forward)(Recorder&));

/// Tokens of a step when the phase has `actual` of its `most` tokens: attention counts query rows, several a token.
constexpr std::int64_t scaled_tokens(std::int64_t step_tokens, std::int64_t actual, std::int64_t most) {
  return (step_tokens * actual + most - 1) / most;
}

/// The place of a view among the buffers.
Place place_of(const WeightLayout& weights, const ArenaLayout& arenas, const BufferView& view);

}  // namespace monomorph::vulkan
