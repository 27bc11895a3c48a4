// Vulkan's functions, found in its loader when the process first asks for a device: an engine links no libvulkan and
// starts without one. What is not named here is not declared, so that a call of it does not compile.
#pragma once

#include <string>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/// Calls `each` with the name of every function that the runtime calls, all of Vulkan 1.2's core, which a loader
/// exports. Those of extensions are asked for where they are used.
// clang-format off
#define MONOMORPH_VULKAN_FUNCTIONS(each) \
  each(vkAllocateCommandBuffers) \
  each(vkAllocateDescriptorSets) \
  each(vkAllocateMemory) \
  each(vkBeginCommandBuffer) \
  each(vkBindBufferMemory) \
  each(vkCmdBindDescriptorSets) \
  each(vkCmdBindPipeline) \
  each(vkCmdCopyBuffer) \
  each(vkCmdDispatch) \
  each(vkCmdFillBuffer) \
  each(vkCmdPipelineBarrier) \
  each(vkCmdPushConstants) \
  each(vkCmdResetQueryPool) \
  each(vkCmdWriteTimestamp) \
  each(vkCreateBuffer) \
  each(vkCreateCommandPool) \
  each(vkCreateComputePipelines) \
  each(vkCreateDescriptorPool) \
  each(vkCreateDescriptorSetLayout) \
  each(vkCreateDevice) \
  each(vkCreateFence) \
  each(vkCreateInstance) \
  each(vkCreatePipelineCache) \
  each(vkCreatePipelineLayout) \
  each(vkCreateQueryPool) \
  each(vkCreateShaderModule) \
  each(vkDestroyBuffer) \
  each(vkDestroyCommandPool) \
  each(vkDestroyDescriptorPool) \
  each(vkDestroyDescriptorSetLayout) \
  each(vkDestroyDevice) \
  each(vkDestroyFence) \
  each(vkDestroyInstance) \
  each(vkDestroyPipeline) \
  each(vkDestroyPipelineCache) \
  each(vkDestroyPipelineLayout) \
  each(vkDestroyQueryPool) \
  each(vkDestroyShaderModule) \
  each(vkDeviceWaitIdle) \
  each(vkEndCommandBuffer) \
  each(vkEnumerateDeviceExtensionProperties) \
  each(vkEnumerateInstanceExtensionProperties) \
  each(vkEnumerateInstanceLayerProperties) \
  each(vkEnumeratePhysicalDevices) \
  each(vkFreeMemory) \
  each(vkGetBufferMemoryRequirements) \
  each(vkGetDeviceQueue) \
  each(vkGetInstanceProcAddr) \
  each(vkGetPhysicalDeviceFeatures2) \
  each(vkGetPhysicalDeviceMemoryProperties) \
  each(vkGetPhysicalDeviceMemoryProperties2) \
  each(vkGetPhysicalDeviceProperties) \
  each(vkGetPhysicalDeviceProperties2) \
  each(vkGetPhysicalDeviceQueueFamilyProperties) \
  each(vkGetPipelineCacheData) \
  each(vkGetQueryPoolResults) \
  each(vkMapMemory) \
  each(vkMergePipelineCaches) \
  each(vkQueueSubmit) \
  each(vkResetFences) \
  each(vkUpdateDescriptorSets) \
  each(vkWaitForFences)
// clang-format on

namespace monomorph::vulkan {

#define MONOMORPH_DECLARE(name) extern PFN_##name name;
MONOMORPH_VULKAN_FUNCTIONS(MONOMORPH_DECLARE)
#undef MONOMORPH_DECLARE

/// Fills them, once; what is wrong where there is no loader (libvulkan.so.1), or one without some of these: then none
/// may be called. Empty: nothing is.
const std::string& trouble_with_loader();

}  // namespace monomorph::vulkan
