// The toy whose layers keep the sum that all tokens have made, in two copies, and not what each of them adds.
#include <span>
#include <vector>

#include "tests/runtime/vulkan/toy_program.hpp"

namespace monomorph::test {
namespace {

// The sum of one run, token by token, from the copy that the submission goes on from into the other one.
const char* go_on_text = R"(
layout(set = 0, binding = 1) readonly buffer Projected { float projected[]; };
layout(set = 0, binding = 2) buffer Sums { float sums[]; };
layout(set = 0, binding = 3) buffer Hidden { float hidden[]; };
void main() {
  uint r = first_row + gl_WorkGroupID.x;
  if (pass.live == 0 || gl_WorkGroupID.y >= pass.run_count || gl_LocalInvocationIndex != 0) return;
  StepRun run = pass.runs[gl_WorkGroupID.y];
  StepToken first = pass.tokens[run.first_row];
  uint to = pass.slots[first.slot].copy_to;
  uint from = pass.slots[first.slot].drawn == 0 ? pass.slots[first.slot].copy_from : to;
  float sum = first.position == 0 ? 0.0 : sums[(first.slot * 2 + from) * hidden_stride + r];
  for (uint t = run.first_row; t < run.first_row + run.rows; ++t) {
    sum += projected[t * hidden_stride + r];
    hidden[t * hidden_stride + r] = 0.5 * hidden[t * hidden_stride + r] + sum / float(pass.tokens[t].position + 1);
  }
  if ((first.flags & token_writes) != 0) sums[(first.slot * 2 + to) * hidden_stride + r] = sum;
}
)";

constexpr std::int64_t sum_row = row_bytes<f32>(toy_hidden_size);
constexpr std::int64_t layer_bytes = toy_max_batch * recurrent_copies * sum_row;
constexpr std::int64_t layer_stride = (layer_bytes + 255) / 256 * 256;

BufferView sums_view(std::int64_t layer) { return {Arena::states, layer * layer_stride, layer_bytes}; }

/// The last of a layer's dispatches goes on from a copy of the sum.
void go_on_from_copy(Recorder& record, const Recorder::LayerEnd& end) {
  record.dispatches.back().arguments[2] = Tensor<void, f32>{sums_view(end.layer)};
}

}  // namespace

const Program& toy_recurrences() {
  static const std::vector<std::uint32_t> go_on = compile_toy_kernel(go_on_text);
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all(toy_program().kernels.begin(), toy_program().kernels.end());
    for (const ToyKernel kernel : {ToyKernel::remember_prefill, ToyKernel::remember_decode}) {
      all[static_cast<std::size_t>(kernel)].spirv = std::as_bytes(std::span(go_on));
    }
    return all;
  }();
  static const StateTable states[] = {{"sums", StateKind::recurrent, toy_layers, toy_max_batch, 1, recurrent_copies,
                                       sum_row, layer_stride, sums_view(0)}};
  static const Program program = [] {
    Program made = toy_program();
    made.name = made.spec_hash = "toy_recurrences";
    made.kernels = kernels;
    made.states = states;
    made.arena_bytes[static_cast<std::size_t>(Arena::states)] = toy_layers * layer_stride;
    for (Phase& phase : made.phases) {
      if (phase.stage == Stage::layers) phase.record = with_layers_changed(phase.record, go_on_from_copy);
    }
    return made;
  }();
  return program;
}

}  // namespace monomorph::test
