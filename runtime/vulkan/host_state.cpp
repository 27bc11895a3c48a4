#include "runtime/vulkan/host_state.hpp"

#include <algorithm>

#include "runtime/error.hpp"
#include "runtime/vulkan/commands.hpp"

namespace monomorph::vulkan {
namespace {

std::int64_t aligned(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

HostState::HostState(const Device& device, const Program& program, const Storage& storage)
    : storage_(storage),
      program_(program),
      layout_(program.step_layout()),
      output_stride_(row_bytes<f32>(program.output_size)) {
  check_host_views(program);
  step_.place = place_of(storage.weights(), storage.arenas(), program.step);
  output_.place = place_of(storage.weights(), storage.arenas(), program.output);
  for (const RotaryAngles& angles : program.rotary_angles) {
    angles_.push_back({{place_of(storage.weights(), storage.arenas(), angles.view)}, angle_stride(angles)});
  }
  std::int64_t mirrored = 0;
  for (Item* item : items()) {
    if (storage.types().direct) item->data = storage.buffer(item->place.buffer).data() + item->place.offset;
    item->mirror_offset = mirrored;
    mirrored += aligned(item->place.bytes);
  }
  if (storage.types().direct) return;
  mirror_ = Buffer(device, mirrored, storage.types().host, true, "host state");
  for (Item* item : items()) item->data = mirror_.data() + item->mirror_offset;
}

HostView HostState::view() const {
  std::vector<AngleRows> angles;
  for (const Angles& each : angles_) angles.push_back({each.item.data, each.stride});
  return {program_, step_.data, output_.data, std::move(angles)};
}

std::vector<HostState::Item*> HostState::items() {
  std::vector<Item*> result{&step_, &output_};
  for (Angles& angles : angles_) result.push_back(&angles.item);
  return result;
}

void HostState::copy_up(VkCommandBuffer commands, const Item& item, std::int64_t bytes) const {
  if (bytes == 0) return;
  const VkBufferCopy copy{static_cast<VkDeviceSize>(item.mirror_offset), static_cast<VkDeviceSize>(item.place.offset),
                          static_cast<VkDeviceSize>(bytes)};
  vkCmdCopyBuffer(commands, mirror_.get(), storage_.buffer(item.place.buffer).get(), 1, &copy);
}

void HostState::record_upload(VkCommandBuffer commands, std::int64_t angle_rows) const {
  if (storage_.types().direct) return;
  full_barrier(commands);
  copy_up(commands, step_, layout_.bytes());
  for (const Angles& angles : angles_) copy_up(commands, angles.item, angle_rows * angles.stride);
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
    copy(output_, rows * output_stride_);
  }
  host_barrier(commands);
}

}  // namespace monomorph::vulkan
