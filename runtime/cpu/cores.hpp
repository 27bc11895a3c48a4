// What this machine's processor is, as a device.
#pragma once

#include <cstdint>

#include "runtime/engine/device_info.hpp"

namespace monomorph::cpu {

/// What --device calls it.
inline constexpr const char* device_name = "cpu";

/// Physical cores that this process may run on; at least 1.
std::int64_t usable_cores();

/// The processor, numbered `index`; its memory is what the machine has left.
DeviceInfo describe_processor(std::int64_t index);

}  // namespace monomorph::cpu
