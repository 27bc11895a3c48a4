#include "runtime/vulkan/result.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/error.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;

TEST_CASE("a call that failed is named with its result and, where there is one, the remedy") {
  CHECK_NOTHROW(check(VK_SUCCESS, "vkQueueSubmit"));
  const auto text = [](VkResult result) {
    try {
      check(result, "vkAllocateMemory");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::device);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string full = text(VK_ERROR_OUT_OF_DEVICE_MEMORY);
  CHECK(full.find("vkAllocateMemory returned VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)") == 0);
  CHECK(full.find("--device reference") != std::string::npos);
  CHECK(text(VK_ERROR_DEVICE_LOST).find("restart") != std::string::npos);
}
