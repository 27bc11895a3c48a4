#include "runtime/vulkan/result.hpp"

#include <fmt/format.h>

#include "runtime/error.hpp"

namespace monomorph::vulkan {

const char* result_name(VkResult result) {
  switch (result) {
    case VK_SUCCESS:
      return "VK_SUCCESS";
    case VK_NOT_READY:
      return "VK_NOT_READY";
    case VK_TIMEOUT:
      return "VK_TIMEOUT";
    case VK_INCOMPLETE:
      return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FRAGMENTED_POOL:
      return "VK_ERROR_FRAGMENTED_POOL";
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return "VK_ERROR_OUT_OF_POOL_MEMORY";
    case VK_ERROR_UNKNOWN:
      return "VK_ERROR_UNKNOWN";
    default:
      return "a VkResult this program has no name for";
  }
}

void check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  std::string meaning;
  if (result == VK_ERROR_DEVICE_LOST) {
    meaning = ": the device was lost (reset by the driver, by a watchdog or by the system); restart the program";
  } else if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
    meaning =
        ": the device has no memory left; close what else uses it, lower engine.max_sequence_length, or "
        "run with --device reference, which is slow";
  } else if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {
    meaning = ": the machine has no memory left for the driver";
  }
  throw Error(ErrorKind::device,
              fmt::format("{} returned {} ({}){}", call, result_name(result), static_cast<int>(result), meaning));
}

}  // namespace monomorph::vulkan
