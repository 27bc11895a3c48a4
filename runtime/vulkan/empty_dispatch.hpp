// A dispatch of a kernel over nothing: some drivers compile a kernel only there.
#pragma once

#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/pipelines.hpp"

namespace monomorph::vulkan {

class EmptyDispatch {
 public:
  explicit EmptyDispatch(const Device& device);
  /// Returns when the device has done it.
  void run(const Pipeline& pipeline, VkDescriptorSet set);

 private:
  const Device& device_;
  CommandPoolHandle pool_;
  VkCommandBuffer buffer_;
  FenceHandle fence_;
};

}  // namespace monomorph::vulkan
