#include "runtime/vulkan/slot_states.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/engine/held_rows.hpp"
#include "runtime/vulkan/commands.hpp"
#include "runtime/vulkan/result.hpp"
#include "runtime/vulkan/schedule.hpp"

namespace monomorph::vulkan {
namespace {

std::uint64_t size_of(std::int64_t bytes) { return static_cast<std::uint64_t>(bytes); }

}  // namespace

SlotStates::SlotStates(const Device& device, const Program& program, const Storage& storage, std::int64_t stage_bytes)
    : device_(device),
      program_(program),
      storage_(storage),
      stage_bytes_(stage_bytes),
      pool_(make_command_pool(device)),
      commands_(allocate_command_buffer(device, pool_.get())),
      fence_(make_fence(device)) {}

std::vector<SlotStates::Rows> SlotStates::rows_of(const HeldStates& held, std::int64_t slot) const {
  std::vector<Rows> all;
  for (const HeldRows& rows : held_rows(program_, held, slot)) {
    const Place place = place_of(storage_.weights(), storage_.arenas(), rows.layer);
    all.push_back({place.buffer, place.offset + rows.offset, rows.bytes});
  }
  return all;
}

void SlotStates::submit(const std::function<void(VkCommandBuffer)>& record) {
  begin_commands(commands_, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  full_barrier(commands_);
  record(commands_);
  host_barrier(commands_);
  check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands_;
  const VkFence fence = fence_.get();
  check(vkQueueSubmit(device_.queue(), 1, &info, fence), "vkQueueSubmit");
  check(vkWaitForFences(device_.get(), 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  check(vkResetFences(device_.get(), 1, &fence), "vkResetFences");
  device_.instance().check_validation();
}

void SlotStates::copy(const HeldStates& from, std::int64_t to) {
  const std::vector<Rows> sources = rows_of(from, from.slot), targets = rows_of(from, to);
  submit([&](VkCommandBuffer commands) {
    Regions regions;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      regions.push_back({size_of(sources[i].offset), size_of(targets[i].offset), size_of(sources[i].bytes)});
      // All slots of a layer lie in one buffer.
      if (i + 1 < sources.size() && sources[i + 1].buffer == sources[i].buffer) continue;
      const VkBuffer buffer = storage_.buffer(sources[i].buffer).get();
      vkCmdCopyBuffer(commands, buffer, buffer, static_cast<std::uint32_t>(regions.size()), regions.data());
      regions.clear();
    }
  });
}

void SlotStates::in_pieces(
    const std::vector<Rows>& rows,
    const std::function<void(const std::vector<std::pair<std::size_t, Regions>>&, std::int64_t)>& move) {
  if (stage_.get() == VK_NULL_HANDLE) {
    const std::int64_t most = std::max(slot_bytes(program_.states), program_.hidden_states.bytes);
    stage_ = Buffer(device_, std::min(stage_bytes_, most), storage_.types().host, true, "saved slots");
  }
  std::vector<std::pair<std::size_t, Regions>> piece;
  std::int64_t filled = 0;
  const auto finish = [&] {
    if (filled > 0) move(piece, filled);
    piece.clear();
    filled = 0;
  };
  for (Rows rest : rows) {
    while (rest.bytes > 0) {
      const std::int64_t taken = std::min(rest.bytes, stage_.bytes() - filled);
      if (piece.empty() || piece.back().first != rest.buffer) piece.push_back({rest.buffer, {}});
      piece.back().second.push_back({size_of(rest.offset), size_of(filled), size_of(taken)});
      rest.offset += taken;
      rest.bytes -= taken;
      filled += taken;
      if (filled == stage_.bytes()) finish();
    }
  }
  finish();
}

void SlotStates::read(const HeldStates& held, std::span<std::byte> out) { read_rows(rows_of(held, held.slot), out); }

void SlotStates::read(const BufferView& view, std::span<std::byte> out) {
  const Place place = place_of(storage_.weights(), storage_.arenas(), view);
  read_rows({{place.buffer, place.offset, std::ssize(out)}}, out);
}

void SlotStates::read_rows(const std::vector<Rows>& rows, std::span<std::byte> out) {
  in_pieces(rows, [&](const auto& piece, std::int64_t bytes) {
    submit([&](VkCommandBuffer commands) {
      for (const auto& [buffer, regions] : piece) {
        vkCmdCopyBuffer(commands, storage_.buffer(buffer).get(), stage_.get(),
                        static_cast<std::uint32_t>(regions.size()), regions.data());
      }
    });
    std::memcpy(out.data(), stage_.data(), static_cast<std::size_t>(bytes));
    out = out.subspan(static_cast<std::size_t>(bytes));
  });
}

void SlotStates::write(const HeldStates& held, std::span<const std::byte> in) {
  in_pieces(rows_of(held, held.slot), [&](auto piece, std::int64_t bytes) {
    std::memcpy(stage_.data(), in.data(), static_cast<std::size_t>(bytes));
    in = in.subspan(static_cast<std::size_t>(bytes));
    submit([&](VkCommandBuffer commands) {
      for (auto& [buffer, regions] : piece) {
        for (VkBufferCopy& region : regions) std::swap(region.srcOffset, region.dstOffset);
        vkCmdCopyBuffer(commands, stage_.get(), storage_.buffer(buffer).get(),
                        static_cast<std::uint32_t>(regions.size()), regions.data());
      }
    });
  });
}

}  // namespace monomorph::vulkan
