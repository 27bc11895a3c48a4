// Ownership of Vulkan objects: each is destroyed once, with the device that made it.
#pragma once

#include <utility>

#include "runtime/vulkan/functions.hpp"

namespace monomorph::vulkan {

/// Objects made from a VkDevice, and the function that destroys them. The device must outlive the handle.
template <class Object, auto& Destroy>
class Handle {
 public:
  Handle() = default;
  Handle(VkDevice device, Object object) : device_(device), object_(object) {}
  Handle(Handle&& other) noexcept
      : device_(other.device_), object_(std::exchange(other.object_, static_cast<Object>(VK_NULL_HANDLE))) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != VK_NULL_HANDLE) Destroy(device_, object_, nullptr);
  }

  Object get() const { return object_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Object object_ = VK_NULL_HANDLE;
};

using BufferHandle = Handle<VkBuffer, vkDestroyBuffer>;
using MemoryHandle = Handle<VkDeviceMemory, vkFreeMemory>;
using ShaderModuleHandle = Handle<VkShaderModule, vkDestroyShaderModule>;
using PipelineHandle = Handle<VkPipeline, vkDestroyPipeline>;
using PipelineLayoutHandle = Handle<VkPipelineLayout, vkDestroyPipelineLayout>;
using PipelineCacheHandle = Handle<VkPipelineCache, vkDestroyPipelineCache>;
using DescriptorSetLayoutHandle = Handle<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using DescriptorPoolHandle = Handle<VkDescriptorPool, vkDestroyDescriptorPool>;
using CommandPoolHandle = Handle<VkCommandPool, vkDestroyCommandPool>;
using FenceHandle = Handle<VkFence, vkDestroyFence>;
using QueryPoolHandle = Handle<VkQueryPool, vkDestroyQueryPool>;

}  // namespace monomorph::vulkan
