#include "runtime/vulkan/empty_dispatch.hpp"

#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {

EmptyDispatch::EmptyDispatch(const Device& device)
    : device_(device),
      pool_(make_command_pool(device)),
      buffer_(allocate_command_buffer(device, pool_.get())),
      fence_(make_fence(device)) {}

void EmptyDispatch::run(const Pipeline& pipeline, VkDescriptorSet set) {
  const PushConstants constants{};
  begin_commands(buffer_, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  vkCmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
  vkCmdBindDescriptorSets(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout.get(), 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(buffer_, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
  vkCmdDispatch(buffer_, 0, 1, 1);
  check(vkEndCommandBuffer(buffer_), "vkEndCommandBuffer");
  const VkFence fence = fence_.get();
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &buffer_;
  check(vkQueueSubmit(device_.queue(), 1, &submit, fence), "vkQueueSubmit");
  check(vkWaitForFences(device_.get(), 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  check(vkResetFences(device_.get(), 1, &fence), "vkResetFences");
}

}  // namespace monomorph::vulkan
