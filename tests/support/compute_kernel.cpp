#include <algorithm>

#include "tests/support/compute.hpp"
#include "tests/support/vulkan_check.hpp"

namespace monomorph::test {

ComputeKernel::ComputeKernel(const ComputeDevice& device, std::span<const std::uint32_t> spirv,
                             const std::vector<Specialization>& specialization,
                             const std::vector<std::size_t>& buffer_bytes)
    : device_(device) {
  for (const std::size_t bytes : buffer_bytes) buffers_.push_back(make_buffer(bytes));
  make_pipeline(spirv, specialization);
  bind_buffers();

  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool_info.queueFamilyIndex = device_.queue_family;
  check(vkCreateCommandPool(device_.device, &pool_info, nullptr, &command_pool_), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate_info{};
  allocate_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate_info.commandPool = command_pool_;
  allocate_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate_info.commandBufferCount = 1;
  check(vkAllocateCommandBuffers(device_.device, &allocate_info, &commands_), "vkAllocateCommandBuffers");
  VkFenceCreateInfo fence_info{};
  fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  check(vkCreateFence(device_.device, &fence_info, nullptr, &fence_), "vkCreateFence");
}

ComputeKernel::~ComputeKernel() {
  vkDestroyFence(device_.device, fence_, nullptr);
  vkDestroyCommandPool(device_.device, command_pool_, nullptr);
  vkDestroyDescriptorPool(device_.device, descriptor_pool_, nullptr);
  vkDestroyPipeline(device_.device, pipeline_, nullptr);
  vkDestroyPipelineLayout(device_.device, pipeline_layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_.device, set_layout_, nullptr);
  for (const Buffer& buffer : buffers_) {
    vkDestroyBuffer(device_.device, buffer.buffer, nullptr);
    vkFreeMemory(device_.device, buffer.memory, nullptr);
  }
}

ComputeKernel::Buffer ComputeKernel::make_buffer(std::size_t bytes) const {
  Buffer made;
  made.bytes = bytes;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes == 0 ? 4 : bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  check(vkCreateBuffer(device_.device, &info, nullptr, &made.buffer), "vkCreateBuffer");
  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device_.device, made.buffer, &requirements);
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(device_.physical, &memory);
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::uint32_t type = 0;
  while (type < memory.memoryTypeCount && ((requirements.memoryTypeBits >> type & 1) == 0 ||
                                           (memory.memoryTypes[type].propertyFlags & wanted) != wanted)) {
    ++type;
  }
  if (type == memory.memoryTypeCount) throw std::runtime_error("no memory that the host can see");
  VkMemoryAllocateInfo allocate_info{};
  allocate_info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate_info.allocationSize = requirements.size;
  allocate_info.memoryTypeIndex = type;
  check(vkAllocateMemory(device_.device, &allocate_info, nullptr, &made.memory), "vkAllocateMemory");
  check(vkBindBufferMemory(device_.device, made.buffer, made.memory, 0), "vkBindBufferMemory");
  check(vkMapMemory(device_.device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.mapped), "vkMapMemory");
  std::memset(made.mapped, 0, bytes);
  return made;
}

void ComputeKernel::make_pipeline(std::span<const std::uint32_t> spirv,
                                  const std::vector<Specialization>& specialization) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(buffers_.size());
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  set_info.pBindings = bindings.data();
  check(vkCreateDescriptorSetLayout(device_.device, &set_info, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange push_range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 128};
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout_;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push_range;
  check(vkCreatePipelineLayout(device_.device, &layout_info, nullptr, &pipeline_layout_), "vkCreatePipelineLayout");

  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = spirv.size_bytes();
  module_info.pCode = spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device_.device, &module_info, nullptr, &module), "vkCreateShaderModule");
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<std::uint32_t> values;
  for (const Specialization& constant : specialization) {
    entries.push_back({constant.id, static_cast<std::uint32_t>(values.size() * 4), 4});
    values.push_back(constant.value);
  }
  const VkSpecializationInfo specialization_info{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                                 values.size() * 4, values.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization_info;
  info.layout = pipeline_layout_;
  const VkResult result = vkCreateComputePipelines(device_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  vkDestroyShaderModule(device_.device, module, nullptr);
  check(result, "vkCreateComputePipelines");
}

void ComputeKernel::bind_buffers() {
  const VkDescriptorPoolSize pool_size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       static_cast<std::uint32_t>(std::max<std::size_t>(buffers_.size(), 1))};
  VkDescriptorPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = 1;
  pool_info.pPoolSizes = &pool_size;
  check(vkCreateDescriptorPool(device_.device, &pool_info, nullptr, &descriptor_pool_), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate_info{};
  allocate_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate_info.descriptorPool = descriptor_pool_;
  allocate_info.descriptorSetCount = 1;
  allocate_info.pSetLayouts = &set_layout_;
  check(vkAllocateDescriptorSets(device_.device, &allocate_info, &set_), "vkAllocateDescriptorSets");
  for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
    const VkDescriptorBufferInfo buffer_info{buffers_[i].buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set_;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer_info;
    vkUpdateDescriptorSets(device_.device, 1, &write, 0, nullptr);
  }
}

void ComputeKernel::run(std::uint32_t groups_x, std::uint32_t groups_y, std::span<const std::uint32_t> push_constants) {
  VkCommandBufferBeginInfo begin_info{};
  begin_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin_info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vkBeginCommandBuffer(commands_, &begin_info), "vkBeginCommandBuffer");
  vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout_, 0, 1, &set_, 0, nullptr);
  if (!push_constants.empty()) {
    vkCmdPushConstants(commands_, pipeline_layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<std::uint32_t>(push_constants.size_bytes()), push_constants.data());
  }
  vkCmdDispatch(commands_, groups_x, groups_y, 1);
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                       nullptr, 0, nullptr);
  check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  check(vkQueueSubmit(device_.queue, 1, &submit, fence_), "vkQueueSubmit");
  check(vkWaitForFences(device_.device, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  check(vkResetFences(device_.device, 1, &fence_), "vkResetFences");
}

}  // namespace monomorph::test
