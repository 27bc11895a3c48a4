// Whether a program fits a device: checked before anything is allocated, because drivers do not.
#pragma once

#include <string>

#include "runtime/load/load.hpp"

namespace monomorph {

/// The heap that weights, cache and activations go to; null: there is none.
const MemoryHeap* main_heap(const DeviceInfo& device);

/// Empty when it fits, else what is needed, what there is, and what would fit.
std::string explain_misfit(const Program& program, const MemoryPlan& plan, const DeviceInfo& device);

/// Throws Error(device) with that explanation.
void check_memory(const Program& program, const MemoryPlan& plan, const DeviceInfo& device);

}  // namespace monomorph
