// Reads what each physical device says of itself.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {
namespace {

DeviceType device_type(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceType::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceType::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceType::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceType::cpu;
    default:
      return DeviceType::other;
  }
}

bool has_extension(VkPhysicalDevice device, const char* name) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()),
        "vkEnumerateDeviceExtensionProperties");
  return std::any_of(extensions.begin(), extensions.end(), [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

void read_limits(const VkPhysicalDeviceLimits& said, VkDeviceSize max_allocation, Limits& limits) {
  limits.max_storage_buffer_range = said.maxStorageBufferRange;
  limits.max_allocation_size =
      static_cast<std::int64_t>(std::min<VkDeviceSize>(max_allocation, std::uint64_t{1} << 62));
  limits.storage_offset_alignment = static_cast<std::int64_t>(said.minStorageBufferOffsetAlignment);
  limits.max_workgroup_count_x = said.maxComputeWorkGroupCount[0];
  limits.max_workgroup_count_y = said.maxComputeWorkGroupCount[1];
  limits.max_workgroup_invocations = said.maxComputeWorkGroupInvocations;
  limits.max_workgroup_size_x = said.maxComputeWorkGroupSize[0];
  limits.max_shared_memory = said.maxComputeSharedMemorySize;
}

/// Subgroups as kernels use them, and whether their size can be asked for.
void read_subgroups(const VkPhysicalDeviceSubgroupProperties& subgroup,
                    const VkPhysicalDeviceSubgroupSizeControlProperties& sizes, bool size_control,
                    PhysicalDevice& device) {
  device.info.subgroup_size = subgroup.subgroupSize;
  device.min_subgroup_size = device.max_subgroup_size = subgroup.subgroupSize;
  device.subgroup_size_control = size_control && (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  if (device.subgroup_size_control) {
    device.min_subgroup_size = sizes.minSubgroupSize;
    device.max_subgroup_size = sizes.maxSubgroupSize;
    device.max_workgroup_subgroups = sizes.maxComputeWorkgroupSubgroups;
  }
  const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                        VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  if ((subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0 ||
      (subgroup.supportedOperations & needed) != needed) {
    device.info.unusable = "it has no subgroup arithmetic, ballots and shuffles in compute shaders";
  }
}

/// What every version of Vulkan says. False where the version is too old for the rest.
bool read_identity(PhysicalDevice& device) {
  VkPhysicalDeviceProperties said{};
  vkGetPhysicalDeviceProperties(device.handle, &said);
  DeviceInfo& info = device.info;
  info.name = said.deviceName;
  info.type = device_type(said.deviceType);
  info.api_version = fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(said.apiVersion),
                                 VK_API_VERSION_MINOR(said.apiVersion), VK_API_VERSION_PATCH(said.apiVersion));
  device.vendor = said.vendorID;
  device.device = said.deviceID;
  device.driver_version = said.driverVersion;
  std::memcpy(device.uuid, said.pipelineCacheUUID, VK_UUID_SIZE);
  device.timestamp_nanoseconds = said.limits.timestampPeriod;
  device.core_1_3 = said.apiVersion >= VK_API_VERSION_1_3;
  if (said.apiVersion >= VK_API_VERSION_1_2) return true;
  info.unusable = "its driver has Vulkan " + info.api_version + "; 1.2 is needed";
  return false;
}

void read_properties(PhysicalDevice& device) {
  const bool control = device.core_1_3 || has_extension(device.handle, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  if (control && !device.core_1_3) device.extensions.emplace_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);

  VkPhysicalDeviceMaintenance3Properties maintenance{};
  maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  driver.pNext = &maintenance;
  VkPhysicalDeviceSubgroupProperties subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  subgroup.pNext = &driver;
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  if (control) maintenance.pNext = &sizes;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroup;
  vkGetPhysicalDeviceProperties2(device.handle, &properties);

  VkPhysicalDeviceSubgroupSizeControlFeatures control_features{};
  control_features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  VkPhysicalDeviceVulkan12Features core_1_2{};
  core_1_2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  if (control) core_1_2.pNext = &control_features;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &core_1_2;
  vkGetPhysicalDeviceFeatures2(device.handle, &features);

  device.compiles_at_dispatch = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  device.info.driver = driver.driverName;
  if (*driver.driverInfo != '\0') device.info.driver += std::string(" ") + driver.driverInfo;
  read_limits(properties.properties.limits, maintenance.maxMemoryAllocationSize, device.info.limits);
  read_subgroups(subgroup, sizes,
                 control && control_features.subgroupSizeControl && control_features.computeFullSubgroups, device);
  if (!core_1_2.subgroupBroadcastDynamicId && device.info.unusable.empty()) {
    device.info.unusable = "it cannot broadcast from lanes that are not compile-time constants";
  }
}

void read_memory(PhysicalDevice& device) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  device.info.memory_budget = has_extension(device.handle, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (device.info.memory_budget) memory.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(device.handle, &memory);
  for (std::uint32_t i = 0; i < memory.memoryProperties.memoryHeapCount; ++i) {
    const VkMemoryHeap& said = memory.memoryProperties.memoryHeaps[i];
    if (said.size == 0) continue;
    MemoryHeap heap;
    heap.bytes = static_cast<std::int64_t>(said.size);
    heap.available = heap.bytes;
    if (device.info.memory_budget) {
      const std::uint64_t used = std::min(budget.heapUsage[i], budget.heapBudget[i]);
      heap.available = static_cast<std::int64_t>(std::min<std::uint64_t>(budget.heapBudget[i] - used, said.size));
    }
    heap.device_local = (said.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    device.info.heaps.push_back(heap);
  }
  // RADV's null device calls itself a discrete GPU and has no heaps; running on it crashes.
  if (device.info.memory() == 0 && device.info.unusable.empty()) device.info.unusable = "it has no memory";
}

void read_queues(PhysicalDevice& device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (families[i].queueCount == 0 || (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    device.queue_family = i;
    const std::uint32_t bits = families[i].timestampValidBits;
    device.timestamps = bits > 0 && device.timestamp_nanoseconds > 0;
    device.timestamp_mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    return;
  }
  if (device.info.unusable.empty()) device.info.unusable = "it has no compute queue";
}

}  // namespace

std::vector<PhysicalDevice> list_physical_devices(const Instance& instance) {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance.get(), &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> handles(count);
  check(vkEnumeratePhysicalDevices(instance.get(), &count, handles.data()), "vkEnumeratePhysicalDevices");
  std::vector<PhysicalDevice> devices;
  for (const VkPhysicalDevice handle : handles) {
    PhysicalDevice device;
    device.handle = handle;
    device.info.index = static_cast<std::int64_t>(devices.size());
    device.info.backend = "vulkan";
    if (read_identity(device)) read_properties(device);
    read_memory(device);
    read_queues(device);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace monomorph::vulkan
