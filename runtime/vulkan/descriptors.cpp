#include "runtime/vulkan/descriptors.hpp"

#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {

DescriptorSets::DescriptorSets(const Device& device, const Storage& storage, const std::vector<Pipeline>& pipelines,
                               std::span<const Schedule* const> schedules) {
  std::uint32_t descriptors = 0;
  for (const Schedule* schedule : schedules) {
    for (const Command& command : schedule->commands) {
      if (sets_.emplace(std::pair(command.kernel, command.arguments), VkDescriptorSet{}).second) {
        descriptors += static_cast<std::uint32_t>(command.arguments.size());
      }
    }
  }
  if (descriptors == 0) return;
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptors};
  VkDescriptorPoolCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  create.maxSets = static_cast<std::uint32_t>(sets_.size());
  create.poolSizeCount = 1;
  create.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  check(vkCreateDescriptorPool(device.get(), &create, nullptr, &pool), "vkCreateDescriptorPool");
  pool_ = DescriptorPoolHandle(device.get(), pool);

  for (auto& [key, set] : sets_) {
    const VkDescriptorSetLayout layout = pipelines[static_cast<std::size_t>(key.first)].set_layout.get();
    VkDescriptorSetAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &layout;
    check(vkAllocateDescriptorSets(device.get(), &allocate, &set), "vkAllocateDescriptorSets");

    std::vector<VkDescriptorBufferInfo> buffers;
    for (const Place& place : key.second) {
      buffers.push_back({storage.buffer(place.buffer).get(), static_cast<VkDeviceSize>(place.offset),
                         static_cast<VkDeviceSize>(place.bytes)});
    }
    std::vector<VkWriteDescriptorSet> writes;
    for (std::uint32_t b = 0; b < buffers.size(); ++b) {
      VkWriteDescriptorSet write{};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = set;
      write.dstBinding = b;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &buffers[b];
      writes.push_back(write);
    }
    vkUpdateDescriptorSets(device.get(), static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
  }
}

}  // namespace monomorph::vulkan
