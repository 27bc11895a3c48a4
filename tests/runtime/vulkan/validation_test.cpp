// Runs before anything else has started Vulkan in its process: each case is a child of its own.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "runtime/load/load.hpp"
#include "runtime/vulkan/device.hpp"
#include "tests/runtime/vulkan/toy_program.hpp"
#include "tests/support/glsl.hpp"
#include "tests/support/vulkan_devices.hpp"

using namespace monomorph;
using namespace monomorph::vulkan;

namespace {

constexpr int skipped = 77;
constexpr int survived = 50;

/// The exit status of a process that runs `body` under the validation layer at `level`.
int status_of_process(const char* level, const std::function<void()>& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);
    setenv("MONOMORPH_VALIDATION", level, 1);
    body();
    std::_Exit(survived);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == skipped) {
    std::fputs("no Vulkan device or no validation layer: skipped\n", stderr);
    std::_Exit(skipped);
  }
  return WEXITSTATUS(status);
}

/// The same of a body that is given a device.
int status_of(const std::function<void(Device&)>& body) {
  return status_of_process("1", [&] {
    std::unique_ptr<Device> device;
    try {
      device = Device::open(tests::best_vulkan_device(), {});
    } catch (const Error& error) {
      std::_Exit(skipped);  // no device, or no layer
    }
    body(*device);
    device.reset();
  });
}

/// The exit status of a process in which the toy's embedding reads so many elements past its table's last, under
/// GPU-assisted checks.
int status_of_reading(std::int64_t beyond) {
  return status_of_process("gpu",
                           [&] {
                             Program program = test::toy_program();
                             std::vector<Kernel> kernels(program.kernels.begin(), program.kernels.end());
                             const std::vector<std::uint32_t> spirv = test::compile_glsl(R"(#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 1) readonly buffer Table { float table[]; };
layout(set = 0, binding = 2) writeonly buffer Hidden { float hidden[]; };
void main() { hidden[gl_WorkGroupID.y * 8] = table[7999 + )" + std::to_string(beyond) + "]; }");
                             kernels[0].spirv = std::as_bytes(std::span(spirv));
                             program.kernels = kernels;
                             LoadOptions options;
                             options.random_weights = true;
                             options.limits.separate_buffers = true;
                             std::unique_ptr<Engine> engine;
                             try {
                               engine = load_engine(program, options);
                             } catch (const Error& error) {
                               std::_Exit(skipped);
                             }
                             try {
                               engine->prefill(std::vector<std::int32_t>{1});
                             } catch (const Error& error) {
                               std::_Exit(error.kind() == ErrorKind::internal ? 60 : 61);
                             }
                           });
}

void make_empty_buffer(Device& device) {
  VkBufferCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  create.size = 0;  // not allowed
  VkBuffer buffer = VK_NULL_HANDLE;
  if (vkCreateBuffer(device.get(), &create, nullptr, &buffer) == VK_SUCCESS) {
    vkDestroyBuffer(device.get(), buffer, nullptr);
  }
}

}  // namespace

TEST_CASE("a process without validation errors lives") {
  CHECK(status_of([](Device& device) { device.instance().check_validation(); }) == survived);
}

TEST_CASE("a validation error is thrown at the next check") {
  CHECK(status_of([](Device& device) {
          make_empty_buffer(device);
          try {
            device.instance().check_validation();
          } catch (const Error& error) {
            std::_Exit(error.kind() == ErrorKind::internal ? 60 : 61);
          }
        }) == 60);
}

TEST_CASE("a validation error that nobody checks for ends the process as an internal error") {
  CHECK(status_of(make_empty_buffer) == static_cast<int>(ErrorKind::internal));
}

TEST_CASE("an object that is never destroyed is found at the end") {
  CHECK(status_of([](Device& device) {
          VkFenceCreateInfo create{};
          create.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
          VkFence fence = VK_NULL_HANDLE;
          vkCreateFence(device.get(), &create, nullptr, &fence);
        }) == static_cast<int>(ErrorKind::internal));
}

TEST_CASE("GPU-assisted checks see the first element past a tensor, although others follow it") {
  CHECK(status_of_reading(0) == survived);
  CHECK(status_of_reading(1) == 60);
}
