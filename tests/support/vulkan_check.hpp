// A Vulkan call of the tests' harness that failed: an exception with the call and its VkResult.
#pragma once

#include <vulkan/vulkan.h>

#include <stdexcept>
#include <string>

namespace monomorph::test {

inline void check(VkResult result, const char* call) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string(call) + " gave VkResult " + std::to_string(result));
}

}  // namespace monomorph::test
