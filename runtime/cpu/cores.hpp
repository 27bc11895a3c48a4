// What this machine's processor is, as a device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "runtime/engine/device_info.hpp"

namespace monomorph::cpu {

/// Physical cores that this process may run on, and no more than its control groups give it the time of; at least 1.
std::int64_t usable_cores();

/// How many processors' time its control groups give this process, rounded up; nothing where they set no limit. `root`
/// is where proc and sys stand.
std::optional<std::int64_t> processors_of_groups(const std::filesystem::path& root = "/");

/// The processor; its memory is what the machine has left.
DeviceInfo describe_processor();

}  // namespace monomorph::cpu
