// Vulkan's devices, as a backend. No type of Vulkan reaches this header.
#pragma once

#include "runtime/engine/backend.hpp"

namespace monomorph::vulkan {

const Backend& backend();

}  // namespace monomorph::vulkan
