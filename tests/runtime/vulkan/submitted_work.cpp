#include "tests/runtime/vulkan/submitted_work.hpp"

#include <stdlib.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <variant>

namespace monomorph::test {
namespace {

using Command = std::variant<std::vector<Touch>, MemoryBarrier>;

struct Bound {
  VkBuffer buffer;
  VkDeviceSize offset, bytes;
};

/// What is left in a pool of descriptors.
struct Pool {
  std::int64_t sets, descriptors;
};

struct Listener {
  const Program* program = nullptr;
  std::map<VkBuffer, VkDeviceMemory> memory;
  std::map<VkBuffer, VkDeviceSize> sizes;
  std::vector<VkDeviceMemory> mapped;
  std::map<VkPipelineLayout, std::size_t> kernel_layouts;
  std::mutex kernels_mutex;  // pipelines are made in several threads
  std::map<VkPipeline, std::size_t> kernels;
  std::map<VkDescriptorSet, std::map<std::uint32_t, Bound>> sets;
  std::map<VkDescriptorSetLayout, std::int64_t> layouts;  // descriptors of each
  std::map<VkDescriptorPool, Pool> pools;
  std::map<VkCommandBuffer, std::vector<Command>> commands;
  VkPipeline pipeline = VK_NULL_HANDLE;  // bound in the command buffer that is being recorded
  VkDescriptorSet set = VK_NULL_HANDLE;
  MemoryOrder order;
  int submissions = 0, dispatches = 0, copies = 0;

  const Kernel& kernel_of(VkPipeline made) {
    const std::lock_guard lock(kernels_mutex);
    return program->kernels[kernels.at(made)];
  }

  void note_dispatch(VkCommandBuffer buffer) {
    const Kernel& kernel = kernel_of(pipeline);
    std::vector<Touch> touches;
    for (std::size_t b = 0; b < kernel.bindings.size(); ++b) {
      const Bound& bound = sets.at(set).at(static_cast<std::uint32_t>(b));
      const auto add = [&](VkAccessFlags access) {
        touches.push_back({bound.buffer, bound.offset, bound.bytes, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, access,
                           std::string("dispatch of ") + kernel.name});
      };
      if (kernel.bindings[b].access != Access::write) add(VK_ACCESS_SHADER_READ_BIT);
      if (kernel.bindings[b].access != Access::read) add(VK_ACCESS_SHADER_WRITE_BIT);
    }
    commands[buffer].push_back(touches);
  }

  void execute(VkCommandBuffer buffer) {
    for (const Command& command : commands.at(buffer)) {
      if (const auto* barrier = std::get_if<MemoryBarrier>(&command)) {
        order.barrier(*barrier);
        continue;
      }
      const auto& touches = std::get<std::vector<Touch>>(command);
      order.command(touches);
      ++(touches.front().stage == VK_PIPELINE_STAGE_TRANSFER_BIT ? copies : dispatches);
    }
  }

  std::vector<VkBuffer> mapped_buffers() const {
    std::vector<VkBuffer> buffers;
    for (const auto& [buffer, bound] : memory) {
      if (std::find(mapped.begin(), mapped.end(), bound) != mapped.end()) buffers.push_back(buffer);
    }
    return buffers;
  }
};

Listener* listener = nullptr;

/// What the runtime's table had for a function before it was listened to.
template <auto& function>
auto& before() {
  static auto was = function;
  return was;
}

bool overlap(const Touch& a, const Touch& b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

// The calls that matter here, as they are listened to.
namespace heard {

VkResult VKAPI_CALL vkCreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                   const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
  const auto next = before<vulkan::vkCreateBuffer>();
  const VkResult result = next(device, info, allocator, buffer);
  if (listener != nullptr && result == VK_SUCCESS) listener->sizes[*buffer] = info->size;
  return result;
}

VkResult VKAPI_CALL vkBindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  const auto next = before<vulkan::vkBindBufferMemory>();
  if (listener != nullptr) listener->memory[buffer] = memory;
  return next(device, buffer, memory, offset);
}

VkResult VKAPI_CALL vkMapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize bytes,
                                VkMemoryMapFlags flags, void** data) {
  const auto next = before<vulkan::vkMapMemory>();
  if (listener != nullptr) listener->mapped.push_back(memory);
  return next(device, memory, offset, bytes, flags, data);
}

/// Their layouts are made in the order of the program's kernels.
VkResult VKAPI_CALL vkCreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkPipelineLayout* layout) {
  const auto next = before<vulkan::vkCreatePipelineLayout>();
  const VkResult result = next(device, info, allocator, layout);
  if (listener != nullptr) listener->kernel_layouts.emplace(*layout, listener->kernel_layouts.size());
  return result;
}

VkResult VKAPI_CALL vkCreateComputePipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                             const VkComputePipelineCreateInfo* infos,
                                             const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const auto next = before<vulkan::vkCreateComputePipelines>();
  const VkResult result = next(device, cache, count, infos, allocator, pipelines);
  for (std::uint32_t i = 0; listener != nullptr && i < count; ++i) {
    const std::lock_guard lock(listener->kernels_mutex);
    listener->kernels.emplace(pipelines[i], listener->kernel_layouts.at(infos[i].layout));
  }
  return result;
}

VkResult VKAPI_CALL vkCreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkDescriptorSetLayout* layout) {
  const auto next = before<vulkan::vkCreateDescriptorSetLayout>();
  const VkResult result = next(device, info, allocator, layout);
  for (std::uint32_t i = 0; listener != nullptr && i < info->bindingCount; ++i) {
    listener->layouts[*layout] += info->pBindings[i].descriptorCount;
  }
  return result;
}

VkResult VKAPI_CALL vkCreateDescriptorPool(VkDevice device, const VkDescriptorPoolCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkDescriptorPool* pool) {
  const auto next = before<vulkan::vkCreateDescriptorPool>();
  const VkResult result = next(device, info, allocator, pool);
  for (std::uint32_t i = 0; listener != nullptr && i < info->poolSizeCount; ++i) {
    listener->pools[*pool].sets = info->maxSets;
    listener->pools[*pool].descriptors += info->pPoolSizes[i].descriptorCount;
  }
  return result;
}

VkResult VKAPI_CALL vkAllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo* info,
                                             VkDescriptorSet* sets) {
  const auto next = before<vulkan::vkAllocateDescriptorSets>();
  for (std::uint32_t i = 0; listener != nullptr && i < info->descriptorSetCount; ++i) {
    Pool& pool = listener->pools[info->descriptorPool];
    pool.sets -= 1;
    pool.descriptors -= listener->layouts.at(info->pSetLayouts[i]);
  }
  return next(device, info, sets);
}

void VKAPI_CALL vkUpdateDescriptorSets(VkDevice device, std::uint32_t count, const VkWriteDescriptorSet* writes,
                                       std::uint32_t copies, const VkCopyDescriptorSet* copied) {
  const auto next = before<vulkan::vkUpdateDescriptorSets>();
  for (std::uint32_t i = 0; listener != nullptr && i < count; ++i) {
    const VkDescriptorBufferInfo& info = *writes[i].pBufferInfo;
    listener->sets[writes[i].dstSet][writes[i].dstBinding] = {info.buffer, info.offset, info.range};
  }
  next(device, count, writes, copies, copied);
}

VkResult VKAPI_CALL vkBeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo* info) {
  const auto next = before<vulkan::vkBeginCommandBuffer>();
  if (listener != nullptr) listener->commands[buffer].clear();
  return next(buffer, info);
}

void VKAPI_CALL vkCmdBindPipeline(VkCommandBuffer buffer, VkPipelineBindPoint point, VkPipeline pipeline) {
  const auto next = before<vulkan::vkCmdBindPipeline>();
  if (listener != nullptr) listener->pipeline = pipeline;
  next(buffer, point, pipeline);
}

void VKAPI_CALL vkCmdBindDescriptorSets(VkCommandBuffer buffer, VkPipelineBindPoint point, VkPipelineLayout layout,
                                        std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets,
                                        std::uint32_t offset_count, const std::uint32_t* offsets) {
  const auto next = before<vulkan::vkCmdBindDescriptorSets>();
  if (listener != nullptr) listener->set = sets[0];
  next(buffer, point, layout, first, count, sets, offset_count, offsets);
}

void VKAPI_CALL vkCmdDispatch(VkCommandBuffer buffer, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  const auto next = before<vulkan::vkCmdDispatch>();
  if (listener != nullptr && x * y * z != 0) listener->note_dispatch(buffer);  // warming up dispatches nothing
  next(buffer, x, y, z);
}

void VKAPI_CALL vkCmdCopyBuffer(VkCommandBuffer buffer, VkBuffer from, VkBuffer to, std::uint32_t count,
                                const VkBufferCopy* copies) {
  const auto next = before<vulkan::vkCmdCopyBuffer>();
  for (std::uint32_t i = 0; listener != nullptr && i < count; ++i) {
    const VkBufferCopy& copy = copies[i];
    listener->commands[buffer].push_back(std::vector<Touch>{
        {from, copy.srcOffset, copy.size, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT, "a copy"},
        {to, copy.dstOffset, copy.size, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, "a copy"}});
  }
  next(buffer, from, to, count, copies);
}

void VKAPI_CALL vkCmdFillBuffer(VkCommandBuffer buffer, VkBuffer to, VkDeviceSize offset, VkDeviceSize bytes,
                                std::uint32_t data) {
  const auto next = before<vulkan::vkCmdFillBuffer>();
  if (listener != nullptr) {
    const VkDeviceSize size = bytes == VK_WHOLE_SIZE ? listener->sizes.at(to) - offset : bytes;
    listener->commands[buffer].push_back(
        std::vector<Touch>{{to, offset, size, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, "a fill"}});
  }
  next(buffer, to, offset, bytes, data);
}

void VKAPI_CALL vkCmdPipelineBarrier(VkCommandBuffer buffer, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                     VkDependencyFlags flags, std::uint32_t count, const VkMemoryBarrier* barriers,
                                     std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffer_barriers,
                                     std::uint32_t image_count, const VkImageMemoryBarrier* image_barriers) {
  const auto next = before<vulkan::vkCmdPipelineBarrier>();
  for (std::uint32_t i = 0; listener != nullptr && i < count; ++i) {
    listener->commands[buffer].push_back(
        monomorph::test::MemoryBarrier{from, to, barriers[i].srcAccessMask, barriers[i].dstAccessMask});
  }
  next(buffer, from, to, flags, count, barriers, buffer_count, buffer_barriers, image_count, image_barriers);
}

VkResult VKAPI_CALL vkQueueSubmit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  const auto next = before<vulkan::vkQueueSubmit>();
  for (std::uint32_t i = 0; listener != nullptr && i < count; ++i) {
    for (std::uint32_t c = 0; c < submits[i].commandBufferCount; ++c) listener->execute(submits[i].pCommandBuffers[c]);
    ++listener->submissions;
  }
  return next(queue, count, submits, fence);
}

}  // namespace heard

template <auto& function>
void listen(std::remove_reference_t<decltype(function)> heard) {
  before<function>();
  function = heard;
}

}  // namespace

void MemoryOrder::check(const Earlier& earlier, const Touch& later) {
  if (!overlap(earlier.touch, later) || (!earlier.touch.writes() && !later.writes())) return;
  const bool ordered = (earlier.ordered_before & later.stage) != 0;
  const bool seen = !earlier.touch.writes() || (earlier.visible_to & later.access) != 0;
  if (ordered && seen) return;
  faults_.push_back(later.by + (later.writes() ? " writes" : " reads") + " what " + earlier.touch.by +
                    (earlier.touch.writes() ? " wrote" : " read") + (ordered ? ", and may not see it" : ", unordered"));
}

void MemoryOrder::command(const std::vector<Touch>& touches) {
  for (const Earlier& earlier : earlier_) {
    for (const Touch& later : touches) check(earlier, later);
  }
  for (const Touch& touch : touches) earlier_.push_back({touch});
}

void MemoryOrder::barrier(const MemoryBarrier& barrier) {
  for (Earlier& earlier : earlier_) {
    const bool first = (earlier.touch.stage & barrier.from) != 0;
    if (!first && (earlier.ordered_before & barrier.from) == 0) continue;
    earlier.ordered_before |= barrier.to;
    if (first && (earlier.touch.access & barrier.written) != 0) earlier.available = true;
    if (earlier.available) earlier.visible_to |= barrier.used;
  }
  // What everything waits for and sees need not be kept; what the host may yet read must be seen by it too.
  std::erase_if(earlier_, [](const Earlier& earlier) {
    constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    constexpr VkAccessFlags accesses = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                       VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                                       VK_ACCESS_HOST_READ_BIT;
    return (earlier.ordered_before & stages) == stages &&
           (!earlier.touch.writes() || (earlier.visible_to & accesses) == accesses);
  });
}

void MemoryOrder::host_reads(const std::vector<VkBuffer>& mapped) {
  for (const Earlier& earlier : earlier_) {
    if (!earlier.touch.writes() || std::find(mapped.begin(), mapped.end(), earlier.touch.buffer) == mapped.end()) {
      continue;
    }
    const bool seen = (earlier.ordered_before & VK_PIPELINE_STAGE_HOST_BIT) != 0 &&
                      (earlier.visible_to & VK_ACCESS_HOST_READ_BIT) != 0;
    if (!seen) faults_.push_back("the host may not see what " + earlier.touch.by + " wrote");
  }
}

SubmittedWork::SubmittedWork(const Program& program) {
  ::setenv("MONOMORPH_NO_CACHE", "1", 1);  // no spare devices, whose work would be heard as well
  if (const std::string& trouble = vulkan::trouble_with_loader(); !trouble.empty()) throw std::runtime_error(trouble);
  listen<vulkan::vkCreateBuffer>(heard::vkCreateBuffer);
  listen<vulkan::vkBindBufferMemory>(heard::vkBindBufferMemory);
  listen<vulkan::vkMapMemory>(heard::vkMapMemory);
  listen<vulkan::vkCreatePipelineLayout>(heard::vkCreatePipelineLayout);
  listen<vulkan::vkCreateComputePipelines>(heard::vkCreateComputePipelines);
  listen<vulkan::vkCreateDescriptorSetLayout>(heard::vkCreateDescriptorSetLayout);
  listen<vulkan::vkCreateDescriptorPool>(heard::vkCreateDescriptorPool);
  listen<vulkan::vkAllocateDescriptorSets>(heard::vkAllocateDescriptorSets);
  listen<vulkan::vkUpdateDescriptorSets>(heard::vkUpdateDescriptorSets);
  listen<vulkan::vkBeginCommandBuffer>(heard::vkBeginCommandBuffer);
  listen<vulkan::vkCmdBindPipeline>(heard::vkCmdBindPipeline);
  listen<vulkan::vkCmdBindDescriptorSets>(heard::vkCmdBindDescriptorSets);
  listen<vulkan::vkCmdDispatch>(heard::vkCmdDispatch);
  listen<vulkan::vkCmdCopyBuffer>(heard::vkCmdCopyBuffer);
  listen<vulkan::vkCmdFillBuffer>(heard::vkCmdFillBuffer);
  listen<vulkan::vkCmdPipelineBarrier>(heard::vkCmdPipelineBarrier);
  listen<vulkan::vkQueueSubmit>(heard::vkQueueSubmit);
  listener = new Listener;
  listener->program = &program;
}
SubmittedWork::~SubmittedWork() {
  delete listener;
  listener = nullptr;
}
void SubmittedWork::host_reads() { listener->order.host_reads(listener->mapped_buffers()); }
const std::vector<std::string>& SubmittedWork::faults() const { return listener->order.faults(); }
bool SubmittedWork::pools_suffice() const {
  const auto suffices = [](const auto& pool) { return pool.second.sets >= 0 && pool.second.descriptors >= 0; };
  return !listener->pools.empty() && std::all_of(listener->pools.begin(), listener->pools.end(), suffices);
}
int SubmittedWork::submissions() const { return listener->submissions; }
int SubmittedWork::dispatches() const { return listener->dispatches; }
int SubmittedWork::copies() const { return listener->copies; }

}  // namespace monomorph::test
