// The Vulkan devices of this machine, for tests that need one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/engine/device_choice.hpp"
#include "runtime/vulkan/backend.hpp"

namespace monomorph::tests {

inline bool has_vulkan_device() {
  return std::ranges::any_of(vulkan::backend().list_devices(),
                             [](const DeviceInfo& device) { return device.unusable.empty(); });
}

/// The number of the one that is taken without --device. Throws Error(device) where there is none.
inline std::int64_t best_vulkan_device() {
  const std::vector<DeviceInfo> devices = vulkan::backend().list_devices();
  return devices[choose_device(devices, "")].index;
}

}  // namespace monomorph::tests
