// What host and device both touch, as the host finds it: the step, the angles of rotary embeddings, and what the head
// gives. Where it lies, the device's own memory or a mirror of it, whoever makes the view knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program/program.hpp"

namespace monomorph {

/// Rows of angles, one `stride` bytes after another.
struct AngleRows {
  std::byte* data = nullptr;
  std::int64_t stride = 0;
};

class HostView {
 public:
  HostView() = default;
  /// `angles`: of each of the program's rotary embeddings. All outlive it.
  HostView(const Program& program, std::byte* step, std::byte* output, std::vector<AngleRows> angles);

  /// What a StepBlock begins with.
  struct Counts {
    std::uint32_t token_count, head_rows, draw_count, live, run_count;
  };
  Counts& counts() const { return *reinterpret_cast<Counts*>(step_); }
  std::span<StepSlot> slots() const { return list<StepSlot>(layout_.slots(), layout_.max_batch); }
  std::span<std::uint32_t> drawn(std::int64_t slot) const {
    return list<std::uint32_t>(layout_.drawn(), layout_.max_batch * layout_.decode_steps)
        .subspan(static_cast<std::size_t>(slot * layout_.decode_steps), static_cast<std::size_t>(layout_.decode_steps));
  }
  std::span<StepRow> rows() const { return list<StepRow>(layout_.rows(), layout_.head_rows); }
  std::span<StepRun> runs() const { return list<StepRun>(layout_.runs(), layout_.max_batch); }
  std::span<StepToken> tokens() const { return list<StepToken>(layout_.tokens(), layout_.max_tokens); }
  /// Row `row` of those angles of the program: (cosine, sine) of each frequency.
  float* angles(std::size_t index, std::int64_t row) const {
    return reinterpret_cast<float*>(angles_[index].data + row * angles_[index].stride);
  }
  /// Row `row` of what the head gave.
  std::span<const float> output(std::int64_t row) const {
    return {reinterpret_cast<const float*>(output_ + row * output_stride_), static_cast<std::size_t>(output_size_)};
  }

 private:
  template <class T>
  std::span<T> list(std::int64_t offset, std::int64_t count) const {
    return {reinterpret_cast<T*>(step_ + offset), static_cast<std::size_t>(count)};
  }

  StepLayout layout_{};
  std::int64_t output_size_ = 0, output_stride_ = 0;
  std::byte *step_ = nullptr, *output_ = nullptr;
  std::vector<AngleRows> angles_;
};

/// Rows of an activation that lie one after another, each padded to row_bytes, without the padding.
std::vector<float> without_padding(const std::byte* data, std::int64_t rows, std::int64_t columns);

/// Bytes from one row of a program's angles to the next.
std::int64_t angle_stride(const RotaryAngles& angles);

/// Throws Error(internal) where the program has too little room for its step, its angles or what its head gives.
void check_host_views(const Program& program);

}  // namespace monomorph
