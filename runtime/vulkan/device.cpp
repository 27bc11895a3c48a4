#include "runtime/vulkan/device.hpp"

#include <fmt/format.h>

#include <utility>

#include "runtime/engine/test_limits.hpp"
#include "runtime/error.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {

std::unique_ptr<Device> Device::open(std::int64_t index, const LimitOverrides& overrides) {
  std::unique_ptr<Device> self(new Device);
  self->instance_ = Instance::create();
  std::vector<PhysicalDevice> devices;
  if (self->instance_) devices = list_physical_devices(*self->instance_);
  if (index < 0 || index >= std::ssize(devices)) {
    throw Error(ErrorKind::device, fmt::format("there is no Vulkan device {} any more", index));
  }
  self->physical_ = std::move(devices[static_cast<std::size_t>(index)]);
  lower_limits(self->physical_.info, overrides);
  self->staging_forced_ = overrides.staging;
  self->make();
  return self;
}

std::unique_ptr<Device> Device::beside(const Device& device) {
  std::unique_ptr<Device> self(new Device);
  self->instance_ = device.instance_;
  self->physical_ = device.physical_;
  self->make();
  return self;
}

void Device::make() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = physical_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  subgroups.subgroupSizeControl = VK_TRUE;
  subgroups.computeFullSubgroups = VK_TRUE;

  VkPhysicalDeviceVulkan12Features core_1_2{};
  core_1_2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  core_1_2.subgroupBroadcastDynamicId = VK_TRUE;
  if (physical_.subgroup_size_control) core_1_2.pNext = &subgroups;

  std::vector<const char*> extensions;
  for (const std::string& extension : physical_.extensions) extensions.push_back(extension.c_str());
  VkDeviceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &core_1_2;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(physical_.handle, &create, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, physical_.queue_family, 0, &queue_);
}

Device::~Device() {
  if (device_ == VK_NULL_HANDLE) return;
  vkDeviceWaitIdle(device_);
  vkDestroyDevice(device_, nullptr);
}

}  // namespace monomorph::vulkan
