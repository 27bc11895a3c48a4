#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/support/compute.hpp"
#include "tests/support/vulkan_check.hpp"

namespace monomorph::test {
namespace {

constexpr const char* swiftshader = "/usr/lib/chromium/vk_swiftshader_icd.json";

VkInstance make_instance() {
  const bool chosen = std::getenv("VK_DRIVER_FILES") != nullptr || std::getenv("VK_ICD_FILENAMES") != nullptr;
  if (!chosen && std::filesystem::exists(swiftshader)) setenv("VK_ADD_DRIVER_FILES", swiftshader, 0);
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult result = vkCreateInstance(&info, nullptr, &instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) return VK_NULL_HANDLE;  // no driver is installed
  check(result, "vkCreateInstance");
  return instance;
}

/// The first queue family that computes, or -1. A device without memory (a compiler's null device) counts as none.
int compute_family(VkPhysicalDevice physical) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(physical, &properties);
  if (memory.memoryHeapCount == 0 || memory.memoryHeaps[0].size == 0) return -1;
  if (properties.apiVersion < VK_API_VERSION_1_2) return -1;
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

ComputeDevice::ComputeDevice(VkPhysicalDevice physical_device)
    : physical(physical_device), queue_family(static_cast<std::uint32_t>(compute_family(physical_device))) {
  VkPhysicalDeviceSubgroupProperties subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroups;
  vkGetPhysicalDeviceProperties2(physical, &properties);
  name = properties.properties.deviceName;
  limits = properties.properties.limits;
  subgroup_size = subgroups.subgroupSize;

  const float priority = 1;
  VkDeviceQueueCreateInfo queue_info{};
  queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue_info.queueFamilyIndex = queue_family;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  vkGetDeviceQueue(device, queue_family, 0, &queue);
}

ComputeDevice::~ComputeDevice() { vkDestroyDevice(device, nullptr); }

const std::vector<std::unique_ptr<ComputeDevice>>& compute_devices() {
  static const auto devices = [] {
    std::vector<std::unique_ptr<ComputeDevice>> found;
    const VkInstance instance = make_instance();
    std::uint32_t count = 0;
    if (instance != VK_NULL_HANDLE)
      check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> physical(count);
    if (count > 0) check(vkEnumeratePhysicalDevices(instance, &count, physical.data()), "vkEnumeratePhysicalDevices");
    for (const VkPhysicalDevice candidate : physical) {
      if (compute_family(candidate) >= 0) found.push_back(std::make_unique<ComputeDevice>(candidate));
    }
    return found;
  }();
  if (devices.empty()) {
    std::fputs("no Vulkan device: skipped\n", stderr);
    std::exit(77);
  }
  return devices;
}

}  // namespace monomorph::test
