#include "runtime/vulkan/warm_up.hpp"

#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {

void warm_up(const Device& device, std::span<const Schedule* const> schedules, const std::vector<Pipeline>& pipelines,
             const DescriptorSets& sets, const LoadProgress& warm) {
  const CommandPoolHandle pool = make_command_pool(device);
  const VkCommandBuffer buffer = allocate_command_buffer(device, pool.get());
  const FenceHandle fence_handle = make_fence(device);
  const VkFence fence = fence_handle.get();
  const auto total = static_cast<std::int64_t>(pipelines.size());
  std::int64_t done = 0;
  std::vector<bool> seen(pipelines.size());
  for (const Schedule* const schedule : schedules) {
    for (const Command& command : schedule->commands) {
      const auto kernel = static_cast<std::size_t>(command.kernel);
      if (seen[kernel]) continue;
      seen[kernel] = true;
      const Pipeline& pipeline = pipelines[kernel];
      const VkDescriptorSet set = sets.of(command);
      const PushConstants constants{};
      begin_commands(buffer, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
      vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
      vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout.get(), 0, 1, &set, 0, nullptr);
      vkCmdPushConstants(buffer, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
      vkCmdDispatch(buffer, 0, 1, 1);
      check(vkEndCommandBuffer(buffer), "vkEndCommandBuffer");
      VkSubmitInfo submit{};
      submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      submit.commandBufferCount = 1;
      submit.pCommandBuffers = &buffer;
      check(vkQueueSubmit(device.queue(), 1, &submit, fence), "vkQueueSubmit");
      check(vkWaitForFences(device.get(), 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
      check(vkResetFences(device.get(), 1, &fence), "vkResetFences");
      if (warm) warm(++done, total);
    }
  }
  if (warm) warm(total, total);
}

}  // namespace monomorph::vulkan
