// What slots remember, moved: from slot to slot on the device, and between a slot and the host through a staging
// buffer, a piece at a time; and what a pass left, read in the same way. Every call submits and waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/program/program.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/memory.hpp"
#include "runtime/vulkan/storage.hpp"

namespace monomorph::vulkan {

class SlotStates {
 public:
  static constexpr std::int64_t usual_stage_bytes = std::int64_t{8} << 20;

  /// All of them outlive it. The staging buffer has at most `stage_bytes` bytes, and is there from the first read or
  /// write on.
  SlotStates(const Device& device, const Program& program, const Storage& storage,
             std::int64_t stage_bytes = usual_stage_bytes);

  /// Slot `to`, another one, has in its entries what `from` holds.
  void copy(const HeldStates& from, std::int64_t to);
  /// The rows that hold something, by state, layer, head and entry: held_bytes(program.states, held) of them.
  void read(const HeldStates& held, std::span<std::byte> out);
  void write(const HeldStates& held, std::span<const std::byte> in);
  /// As many bytes of a place as `out` has, from its first on.
  void read(const BufferView& view, std::span<std::byte> out);

 private:
  /// Neighbouring rows.
  struct Rows {
    std::size_t buffer;
    std::int64_t offset, bytes;
  };
  std::vector<Rows> rows_of(const HeldStates& held, std::int64_t slot) const;
  using Regions = std::vector<VkBufferCopy>;
  /// Cuts rows into pieces that the staging buffer holds. `move` gets the regions of a piece from the device to it, by
  /// the device's buffer, and the bytes of the piece.
  void in_pieces(const std::vector<Rows>& rows,
                 const std::function<void(const std::vector<std::pair<std::size_t, Regions>>&, std::int64_t)>& move);
  void read_rows(const std::vector<Rows>& rows, std::span<std::byte> out);
  void submit(const std::function<void(VkCommandBuffer)>& record);

  const Device& device_;
  const Program& program_;
  const Storage& storage_;
  const std::int64_t stage_bytes_;
  CommandPoolHandle pool_;
  VkCommandBuffer commands_;
  FenceHandle fence_;
  Buffer stage_;
};

}  // namespace monomorph::vulkan
