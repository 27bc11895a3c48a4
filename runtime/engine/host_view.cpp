#include "runtime/engine/host_view.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/error.hpp"

namespace monomorph {

HostView::HostView(const Program& program, std::byte* step, std::byte* output, std::vector<AngleRows> angles)
    : layout_(program.step_layout()),
      output_size_(program.output_size),
      output_stride_(row_bytes<f32>(program.output_size)),
      step_(step),
      output_(output),
      angles_(std::move(angles)) {}

std::vector<float> without_padding(const std::byte* data, std::int64_t rows, std::int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  std::vector<float> floats(static_cast<std::size_t>(rows) * width);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::memcpy(floats.data() + static_cast<std::size_t>(row) * width, data + row * row_bytes<f32>(columns),
                width * sizeof(float));
  }
  return floats;
}

std::int64_t angle_stride(const RotaryAngles& angles) {
  return row_bytes<f32>(2 * static_cast<std::int64_t>(angles.rotary.frequencies.size()));
}

void check_host_views(const Program& program) {
  const StepLayout layout = program.step_layout();
  if (program.step.bytes < layout.bytes() ||
      program.output.bytes < program.head_rows * row_bytes<f32>(program.output_size) || program.decode_steps < 1 ||
      program.max_batch < 1 || program.head_rows < std::min(program.max_batch, program.prefill_chunk)) {
    throw Error(ErrorKind::internal, "the program has too little room for its step or its logits");
  }
  for (const RotaryAngles& angles : program.rotary_angles) {
    if (angles.rows < layout.angle_rows() || angles.view.bytes < angles.rows * angle_stride(angles)) {
      throw Error(ErrorKind::internal, "the program has too little room for the angles of a pass");
    }
  }
}

}  // namespace monomorph
