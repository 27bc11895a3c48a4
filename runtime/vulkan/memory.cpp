#include "runtime/vulkan/memory.hpp"

#include <cstring>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {
namespace {

constexpr std::int64_t stage_bytes = std::int64_t{32} << 20;

constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

VkBufferCreateInfo buffer_create_info(std::int64_t bytes) {
  VkBufferCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.size = static_cast<VkDeviceSize>(bytes);
  create.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  create.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return create;
}

}  // namespace

std::optional<MemoryTypes> choose_memory_types(const VkPhysicalDeviceMemoryProperties& memory,
                                               std::uint32_t open_to_buffers, bool may_map) {
  MemoryTypes types;
  for (std::uint32_t h = 0; h < memory.memoryHeapCount; ++h) {
    const bool larger = memory.memoryHeaps[h].size > memory.memoryHeaps[types.heap].size ||
                        (memory.memoryHeaps[types.heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0;
    if ((memory.memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 && larger) types.heap = h;
  }
  // Of the types that have what is needed, the one with the most of what is wished for; types of a kind nobody here
  // asks for (protected, device-coherent) are left alone.
  const auto find = [&](VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wished,
                        std::optional<std::size_t> heap) -> std::optional<std::uint32_t> {
    constexpr VkMemoryPropertyFlags understood =
        visible | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    std::optional<std::uint32_t> best;
    for (std::uint32_t t = 0; t < memory.memoryTypeCount; ++t) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[t].propertyFlags;
      if ((flags & needed) != needed || (flags & ~understood) != 0) continue;
      if ((open_to_buffers & (1u << t)) == 0) continue;
      if (heap && memory.memoryTypes[t].heapIndex != *heap) continue;
      if (!best || ((flags & wished) == wished && (memory.memoryTypes[*best].propertyFlags & wished) != wished)) {
        best = t;
      }
    }
    return best;
  };
  const auto host = find(visible, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, std::nullopt);
  const auto mapped =
      find(visible | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, types.heap);
  const auto local = find(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, types.heap);
  if (!host || !local) return std::nullopt;
  types.host = *host;
  types.direct = mapped && may_map;
  types.device = types.direct ? *mapped : *local;
  return types;
}

MemoryTypes choose_memory_types(const Device& device) {
  // Some drivers keep types that only images may have: a buffer says which are open to buffers, whatever its size.
  const VkBufferCreateInfo create = buffer_create_info(256);
  VkBuffer sample = VK_NULL_HANDLE;
  check(vkCreateBuffer(device.get(), &create, nullptr, &sample), "vkCreateBuffer");
  VkMemoryRequirements open_to_buffers{};
  vkGetBufferMemoryRequirements(device.get(), sample, &open_to_buffers);
  vkDestroyBuffer(device.get(), sample, nullptr);

  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(device.physical().handle, &memory);
  const bool may_map = device.info().type != DeviceType::discrete && !device.staging_forced();
  const auto types = choose_memory_types(memory, open_to_buffers.memoryTypeBits, may_map);
  if (!types) throw Error(ErrorKind::device, device.info().name + ": it has no memory that this engine can use");
  return *types;
}

Buffer::Buffer(const Device& device, std::int64_t bytes, std::uint32_t memory_type, bool map, const std::string& name)
    : bytes_(bytes) {
  const VkBufferCreateInfo create = buffer_create_info(bytes);
  VkBuffer buffer = VK_NULL_HANDLE;
  check(vkCreateBuffer(device.get(), &create, nullptr, &buffer), "vkCreateBuffer");
  buffer_ = BufferHandle(device.get(), buffer);
  device.name(VK_OBJECT_TYPE_BUFFER, buffer, name);

  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device.get(), buffer, &needs);
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = memory_type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(vkAllocateMemory(device.get(), &allocate, nullptr, &memory), "vkAllocateMemory");
  memory_ = MemoryHandle(device.get(), memory);
  check(vkBindBufferMemory(device.get(), buffer, memory, 0), "vkBindBufferMemory");
  if (map) {
    void* data = nullptr;
    check(vkMapMemory(device.get(), memory, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
    data_ = static_cast<std::byte*>(data);
  }
}

Uploader::Uploader(const Device& device, const MemoryTypes& types) : device_(device) {
  if (types.direct) return;
  pool_ = make_command_pool(device);
  for (int i = 0; i < 2; ++i) {
    Stage stage;
    stage.buffer = Buffer(device, stage_bytes, types.host, true, "staging");
    stage.commands = allocate_command_buffer(device, pool_.get());
    stage.fence = make_fence(device);
    stages_.push_back(std::move(stage));
  }
}

Uploader::~Uploader() {
  for (Stage& stage : stages_) {
    const VkFence fence = stage.fence.get();
    if (stage.in_flight) vkWaitForFences(device_.get(), 1, &fence, VK_TRUE, UINT64_MAX);
  }
}

void Uploader::wait(Stage& stage) {
  if (!stage.in_flight) return;
  stage.in_flight = false;
  const VkFence fence = stage.fence.get();
  check(vkWaitForFences(device_.get(), 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  check(vkResetFences(device_.get(), 1, &fence), "vkResetFences");
}

Uploader::Stage& Uploader::next() {
  Stage& stage = stages_[turn_++ % stages_.size()];
  wait(stage);
  begin_commands(stage.commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  return stage;
}

void Uploader::submit(Stage& stage) {
  check(vkEndCommandBuffer(stage.commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &stage.commands;
  check(vkQueueSubmit(device_.queue(), 1, &submit, stage.fence.get()), "vkQueueSubmit");
  stage.in_flight = true;
}

void Uploader::write(const Buffer& to, std::int64_t offset, std::int64_t bytes, const Fill& fill) {
  if (to.data() != nullptr) {
    fill({to.data() + offset, static_cast<std::size_t>(bytes)});
    return;
  }
  if (bytes > stage_bytes) throw Error(ErrorKind::internal, fmt::format("an upload of {} bytes at once", bytes));
  Stage& stage = next();
  fill({stage.buffer.data(), static_cast<std::size_t>(bytes)});
  const VkBufferCopy copy{0, static_cast<VkDeviceSize>(offset), static_cast<VkDeviceSize>(bytes)};
  full_barrier(stage.commands);
  vkCmdCopyBuffer(stage.commands, stage.buffer.get(), to.get(), 1, &copy);
  submit(stage);
}

void Uploader::zero(const Buffer& to) {
  if (to.data() != nullptr) {
    std::memset(to.data(), 0, static_cast<std::size_t>(to.bytes()));
    return;
  }
  Stage& stage = next();
  full_barrier(stage.commands);
  vkCmdFillBuffer(stage.commands, to.get(), 0, VK_WHOLE_SIZE, 0);
  submit(stage);
}

void Uploader::finish() {
  for (Stage& stage : stages_) wait(stage);
}

}  // namespace monomorph::vulkan
