// Dispatches every kernel once over nothing, when an engine is loaded: drivers that compile at the first dispatch
// (lavapipe) do it here, where it is expected, and no later call waits for a compiler.
#pragma once

#include <span>
#include <vector>

#include "runtime/engine/load_options.hpp"
#include "runtime/vulkan/descriptors.hpp"

namespace monomorph::vulkan {

/// Nothing runs: the grids are empty. Returns when the device is done; `warm` may be empty, and ends with all kernels.
void warm_up(const Device& device, std::span<const Schedule* const> schedules, const std::vector<Pipeline>& pipelines,
             const DescriptorSets& sets, const LoadProgress& warm);

}  // namespace monomorph::vulkan
