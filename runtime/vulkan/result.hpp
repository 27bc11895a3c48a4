// Results of Vulkan calls, checked in every build.
#pragma once

#include "runtime/vulkan/functions.hpp"

namespace monomorph::vulkan {

const char* result_name(VkResult result);

/// Throws Error(device) with the call and the result's name unless the result is VK_SUCCESS. A lost device and memory
/// that ran out are said in words.
void check(VkResult result, const char* call);

}  // namespace monomorph::vulkan
