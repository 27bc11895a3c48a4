// What host and device both touch: the step, angles and what the head gives. Where the device's memory is mapped, these
// are its own bytes; elsewhere a mirror on the host, copied up before and down after each submission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/host_view.hpp"
#include "runtime/program/program.hpp"
#include "runtime/vulkan/schedule.hpp"
#include "runtime/vulkan/storage.hpp"

namespace monomorph::vulkan {

class HostState {
 public:
  HostState(const Device& device, const Program& program, const Storage& storage);

  /// Where the host finds it.
  HostView view() const;

  /// Before the work of a submission: the step reaches the device, and the first `angle_rows` rows of all angles.
  void record_upload(VkCommandBuffer commands, std::int64_t angle_rows) const;
  /// After it: what was drawn reaches the host, and the first `rows` rows of what the head gave.
  void record_download(VkCommandBuffer commands, std::int64_t rows) const;

 private:
  struct Item {
    Place place{};
    std::byte* data = nullptr;
    std::int64_t mirror_offset = 0;
  };
  struct Angles {
    Item item;
    std::int64_t stride;  ///< bytes
  };
  std::vector<Item*> items();
  void copy_up(VkCommandBuffer commands, const Item& item, std::int64_t bytes) const;
  const Storage& storage_;
  const Program& program_;
  const StepLayout layout_;
  const std::int64_t output_stride_;
  Buffer mirror_;  ///< without memory where the device's is mapped
  Item step_, output_;
  std::vector<Angles> angles_;
};

}  // namespace monomorph::vulkan
