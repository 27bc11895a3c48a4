// Runs one compute kernel on every Vulkan device at hand, for tests: buffers are host memory that the device reads and
// writes, bound to set 0 in order. Nothing of it is shared with the runtime, so that it can judge the runtime's
// kernels.
//
//   for (const auto& device : compute_devices()) {
//     ComputeKernel kernel(*device, compile_glsl(text), {{0, 64}}, {bytes, bytes});
//     kernel.write<float>(0, values);
//     kernel.run(groups);
//     kernel.read<float>(1, results);
//   }
//
// A test executable without a device ends with status 77, which ctest reports as skipped.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace monomorph::test {

class ComputeDevice {
 public:
  explicit ComputeDevice(VkPhysicalDevice physical);
  ~ComputeDevice();
  ComputeDevice(const ComputeDevice&) = delete;
  ComputeDevice& operator=(const ComputeDevice&) = delete;

  std::string name;
  std::uint32_t subgroup_size = 0;
  VkPhysicalDeviceLimits limits{};

  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;
};

/// Every device with a compute queue and memory; SwiftShader too where Debian's chromium-common has put it and no
/// driver was chosen by environment. Ends the process with status 77 where there is none.
const std::vector<std::unique_ptr<ComputeDevice>>& compute_devices();

struct Specialization {
  std::uint32_t id;
  std::uint32_t value;
};

class ComputeKernel {
 public:
  /// `buffer_bytes`: one storage buffer for each binding, zeroed.
  ComputeKernel(const ComputeDevice& device, std::span<const std::uint32_t> spirv,
                const std::vector<Specialization>& specialization, const std::vector<std::size_t>& buffer_bytes);
  ~ComputeKernel();
  ComputeKernel(const ComputeKernel&) = delete;
  ComputeKernel& operator=(const ComputeKernel&) = delete;

  /// Runs the kernel and waits. `push_constants` at most 128 bytes.
  void run(std::uint32_t groups_x, std::uint32_t groups_y = 1, std::span<const std::uint32_t> push_constants = {});

  template <class T>
  void write(std::size_t binding, std::span<const T> values) {
    check_range(binding, values.size_bytes());
    std::memcpy(buffers_[binding].mapped, values.data(), values.size_bytes());
  }
  template <class T>
  void read(std::size_t binding, std::span<T> values) const {
    check_range(binding, values.size_bytes());
    std::memcpy(values.data(), buffers_[binding].mapped, values.size_bytes());
  }

 private:
  struct Buffer {
    std::size_t bytes = 0;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* mapped = nullptr;
  };

  void check_range(std::size_t binding, std::size_t bytes) const {
    if (binding >= buffers_.size() || bytes > buffers_[binding].bytes)
      throw std::out_of_range("beyond a test's buffer");
  }
  Buffer make_buffer(std::size_t bytes) const;
  void make_pipeline(std::span<const std::uint32_t> spirv, const std::vector<Specialization>& specialization);
  void bind_buffers();

  const ComputeDevice& device_;
  std::vector<Buffer> buffers_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout pipeline_layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace monomorph::test
