#include "runtime/vulkan/host_state.hpp"

#include "runtime/error.hpp"
#include "runtime/vulkan/commands.hpp"

namespace monomorph::vulkan {
namespace {

std::int64_t aligned(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

HostState::HostState(const Device& device, const Program& program, const Storage& storage)
    : storage_(storage),
      layout_(program.step_layout()),
      vocab_size_(program.vocab_size),
      logits_stride_(row_bytes<f32>(program.vocab_size)) {
  step_.place = place_of(storage.weights(), storage.arenas(), program.step);
  logits_.place = place_of(storage.weights(), storage.arenas(), program.logits);
  if (step_.place.bytes < layout_.bytes() || logits_.place.bytes < program.head_rows * logits_stride_ ||
      program.decode_steps < 1 || program.max_batch < 1 || program.head_rows < 1) {
    throw Error(ErrorKind::internal, "the program has too little room for its step or its logits");
  }
  if (storage.types().direct) {
    for (Item* item : {&step_, &logits_}) item->data = storage.buffer(item->place.buffer).data() + item->place.offset;
    return;
  }
  logits_.mirror_offset = aligned(step_.place.bytes);
  mirror_ = Buffer(device, logits_.mirror_offset + logits_.place.bytes, storage.types().host, true, "host state");
  for (Item* item : {&step_, &logits_}) item->data = mirror_.data() + item->mirror_offset;
}

void HostState::record_upload(VkCommandBuffer commands) const {
  if (storage_.types().direct) return;
  full_barrier(commands);
  const VkBufferCopy copy{static_cast<VkDeviceSize>(step_.mirror_offset), static_cast<VkDeviceSize>(step_.place.offset),
                          static_cast<VkDeviceSize>(layout_.bytes())};
  vkCmdCopyBuffer(commands, mirror_.get(), storage_.buffer(step_.place.buffer).get(), 1, &copy);
}

void HostState::record_download(VkCommandBuffer commands, std::int64_t rows) const {
  if (!storage_.types().direct) {
    full_barrier(commands);
    const auto copy = [&](const Item& item, std::int64_t bytes) {
      if (bytes == 0) return;
      const VkBufferCopy region{static_cast<VkDeviceSize>(item.place.offset),
                                static_cast<VkDeviceSize>(item.mirror_offset), static_cast<VkDeviceSize>(bytes)};
      vkCmdCopyBuffer(commands, storage_.buffer(item.place.buffer).get(), mirror_.get(), 1, &region);
    };
    copy(step_, layout_.rows());
    copy(logits_, rows * logits_stride_);
  }
  host_barrier(commands);
}

}  // namespace monomorph::vulkan
