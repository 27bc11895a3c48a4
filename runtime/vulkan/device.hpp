// Devices: what Vulkan lists, and the logical device with its one compute queue.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engine/device_info.hpp"
#include "runtime/vulkan/functions.hpp"
#include "runtime/vulkan/handle.hpp"
#include "runtime/vulkan/instance.hpp"

namespace monomorph::vulkan {

/// What a physical device says, beyond what DeviceInfo tells everybody.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceInfo info;
  std::uint32_t queue_family = 0;
  bool core_1_3 = false;
  bool timestamps = false;
  double timestamp_nanoseconds = 0;                           ///< of one tick
  std::uint64_t timestamp_mask = 0;                           ///< the bits of a timestamp that count
  std::int64_t min_subgroup_size = 0, max_subgroup_size = 0;  ///< equal without subgroup size control
  std::int64_t max_workgroup_subgroups = 0;                   ///< where sizes are required; 0: not limited
  bool compiles_at_dispatch = false;   ///< a kernel when it is first dispatched, in the queue's one thread
  bool subgroup_size_control = false;  ///< required sizes and full subgroups can be asked for in compute
  std::uint32_t vendor = 0, device = 0, driver_version = 0;
  std::uint8_t uuid[VK_UUID_SIZE] = {};  ///< of the pipeline cache
  std::vector<std::string> extensions;   ///< to enable
};

std::vector<PhysicalDevice> list_physical_devices(const Instance& instance);

/// A logical device. Not copied; everything made from it must be gone before it is.
class Device {
 public:
  /// The device of this number, with its limits lowered. Throws Error(device) when there is none.
  static std::unique_ptr<Device> open(std::int64_t index, const LimitOverrides& overrides);
  /// A second logical device of the same physical one.
  static std::unique_ptr<Device> beside(const Device& device);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice get() const { return device_; }
  VkQueue queue() const { return queue_; }
  const PhysicalDevice& physical() const { return physical_; }
  const DeviceInfo& info() const { return physical_.info; }
  const Limits& limits() const { return physical_.info.limits; }
  const Instance& instance() const { return *instance_; }
  bool staging_forced() const { return staging_forced_; }

  template <class Object>
  void name(VkObjectType type, Object object, const std::string& name) const {
    instance_->name(device_, type, reinterpret_cast<std::uint64_t>(object), name);
  }

 private:
  Device() = default;
  void make();

  std::shared_ptr<Instance> instance_;
  PhysicalDevice physical_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  bool staging_forced_ = false;
};

}  // namespace monomorph::vulkan
