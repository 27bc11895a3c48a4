#include "runtime/vulkan/warm_up.hpp"

#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {

WarmUp::WarmUp(const Device& device, std::span<const Schedule* const> schedules, const std::vector<Pipeline>& pipelines,
               const DescriptorSets& sets)
    : device_(device),
      pipelines_(pipelines),
      sets_(sets),
      commands_(pipelines.size()),
      pool_(make_command_pool(device)),
      buffer_(allocate_command_buffer(device, pool_.get())),
      fence_(make_fence(device)) {
  for (const Schedule* const schedule : schedules) {
    for (const Command& command : schedule->commands) {
      const auto kernel = static_cast<std::size_t>(command.kernel);
      if (commands_[kernel] != nullptr) continue;
      commands_[kernel] = &command;
      order_.push_back(kernel);
    }
  }
  for (std::size_t kernel = 0; kernel < commands_.size(); ++kernel) {
    if (commands_[kernel] == nullptr) order_.push_back(kernel);
  }
}

void WarmUp::dispatch(std::size_t kernel) {
  if (commands_[kernel] == nullptr) return;
  const Pipeline& pipeline = pipelines_[kernel];
  const VkDescriptorSet set = sets_.of(*commands_[kernel]);
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
