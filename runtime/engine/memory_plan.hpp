// What a program needs of a device, and whether it fits: checked before anything is allocated, because drivers do not.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/engine/device_info.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// Bytes, and how they are laid out.
struct MemoryPlan {
  std::int64_t weights = 0;  ///< with the padding of rows and slices
  std::int64_t mapped = 0;   ///< of the CPU: weights that are read where their file is mapped, and take no memory
  std::int64_t activations = 0, states = 0, host = 0;
  std::int64_t tensors = 0, slices = 0, allocations = 0;  ///< weights: counts, the last two of Vulkan alone
  std::int64_t total() const { return weights + activations + states + host; }
};

/// All but what depends on how a backend lays out weights.
MemoryPlan plan_without_weights(const Program& program);

/// The heap that weights, cache and activations go to; null: there is none.
const MemoryHeap* main_heap(const DeviceInfo& device);

/// Empty when it fits, else what is needed, what there is, and what would fit.
std::string explain_misfit(const Program& program, const MemoryPlan& plan, const DeviceInfo& device);

/// Throws Error(device) with that explanation.
void check_memory(const Program& program, const MemoryPlan& plan, const DeviceInfo& device);

/// "1.5 GiB"
std::string binary_size(std::int64_t bytes);

}  // namespace monomorph
