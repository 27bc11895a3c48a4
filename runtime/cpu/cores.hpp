// What this machine's processor is, as a device.
#pragma once

#include <cstdint>

#include "runtime/engine/device_info.hpp"

namespace monomorph::cpu {

/// Physical cores that this process may run on; at least 1.
std::int64_t usable_cores();

/// The processor; its memory is what the machine has left.
DeviceInfo describe_processor();

}  // namespace monomorph::cpu
