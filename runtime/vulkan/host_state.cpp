#include "runtime/vulkan/host_state.hpp"

#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/schedule.hpp"

namespace monomorph::vulkan {

HostState::HostState(const Device& device, const Program& program, const Storage& storage) : storage_(storage) {
  const auto add = [&](const BufferView& view, bool up, bool down) {
    items_.push_back({place_of(storage.weights(), storage.arenas(), view), nullptr, 0, up, down});
  };
  add(program.sequence_state, true, true);
  add(program.token_ids, true, false);
  add(program.generated, false, true);
  add(program.logits, false, true);

  if (storage.types().direct) {
    for (Item& item : items_) item.data = storage.buffer(item.place.buffer).data() + item.place.offset;
    return;
  }
  std::int64_t bytes = 0;
  for (Item& item : items_) {
    item.mirror_offset = bytes;
    bytes += (item.place.bytes + 255) / 256 * 256;
  }
  mirror_ = Buffer(device, bytes, storage.types().host, true, "host state");
  for (Item& item : items_) item.data = mirror_.data() + item.mirror_offset;
}

void HostState::record_upload(VkCommandBuffer commands) const {
  if (storage_.types().direct) return;
  full_barrier(commands);
  for (const Item& item : items_) {
    if (!item.up) continue;
    const VkBufferCopy copy{static_cast<VkDeviceSize>(item.mirror_offset), static_cast<VkDeviceSize>(item.place.offset),
                            static_cast<VkDeviceSize>(item.place.bytes)};
    vkCmdCopyBuffer(commands, mirror_.get(), storage_.buffer(item.place.buffer).get(), 1, &copy);
  }
}

void HostState::record_download(VkCommandBuffer commands) const {
  if (!storage_.types().direct) {
    full_barrier(commands);
    for (const Item& item : items_) {
      if (!item.down) continue;
      const VkBufferCopy copy{static_cast<VkDeviceSize>(item.place.offset),
                              static_cast<VkDeviceSize>(item.mirror_offset),
                              static_cast<VkDeviceSize>(item.place.bytes)};
      vkCmdCopyBuffer(commands, storage_.buffer(item.place.buffer).get(), mirror_.get(), 1, &copy);
    }
  }
  host_barrier(commands);
}

}  // namespace monomorph::vulkan
