// What host and device both touch: the step, angles and what the head gives. Where the device's memory is mapped, these
// are its own bytes; elsewhere a mirror on the host, copied up before and down after each submission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program/program.hpp"
#include "runtime/vulkan/schedule.hpp"
#include "runtime/vulkan/storage.hpp"

namespace monomorph::vulkan {

class HostState {
 public:
  HostState(const Device& device, const Program& program, const Storage& storage);

  /// What a StepBlock begins with.
  struct Counts {
    std::uint32_t token_count, head_rows, draw_count, live, run_count;
  };
  Counts& counts() const { return *reinterpret_cast<Counts*>(step_.data); }
  std::span<StepSlot> slots() const { return list<StepSlot>(layout_.slots(), layout_.max_batch); }
  std::span<const std::uint32_t> drawn(std::int64_t slot) const {
    return list<std::uint32_t>(layout_.drawn(), layout_.max_batch * layout_.decode_steps)
        .subspan(static_cast<std::size_t>(slot * layout_.decode_steps), static_cast<std::size_t>(layout_.decode_steps));
  }
  std::span<StepRow> rows() const { return list<StepRow>(layout_.rows(), layout_.head_rows); }
  std::span<StepRun> runs() const { return list<StepRun>(layout_.runs(), layout_.max_batch); }
  std::span<StepToken> tokens() const { return list<StepToken>(layout_.tokens(), layout_.max_tokens); }
  /// Row `row` of those angles of the program: (cosine, sine) of each frequency.
  float* angles(std::size_t index, std::int64_t row) const {
    const Angles& angles = angles_[index];
    return reinterpret_cast<float*>(angles.item.data + row * angles.stride);
  }
  /// Row `row` of what the head gave.
  std::span<const float> output(std::int64_t row) const {
    return {reinterpret_cast<const float*>(output_.data + row * output_stride_),
            static_cast<std::size_t>(output_size_)};
  }

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
  template <class T>
  std::span<T> list(std::int64_t offset, std::int64_t count) const {
    return {reinterpret_cast<T*>(step_.data + offset), static_cast<std::size_t>(count)};
  }

  const Storage& storage_;
  const StepLayout layout_;
  const std::int64_t output_size_, output_stride_;
  Buffer mirror_;  ///< without memory where the device's is mapped
  Item step_, output_;
  std::vector<Angles> angles_;
};

}  // namespace monomorph::vulkan
