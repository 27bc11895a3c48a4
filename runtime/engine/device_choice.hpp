// Which of several devices is taken.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/engine/device_info.hpp"

namespace monomorph {

/// The backend that `request` names, in any case; empty: none.
std::string_view backend_named(const std::string& request);

/// The device that `request` names (digits alone: an index; a backend's name: the best of its devices; else a device's
/// name, or part of one in any case; empty: the best, in the order of DeviceType and then by memory). Throws
/// Error(device) that lists what there is.
std::size_t choose_device(const std::vector<DeviceInfo>& devices, const std::string& request);

}  // namespace monomorph
