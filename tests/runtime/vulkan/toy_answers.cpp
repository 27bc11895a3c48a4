// The toy with an answer to a source: kernels that keep what layers hear of it, and that add it.
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "tests/runtime/vulkan/toy_program.hpp"

namespace monomorph::test {
namespace {

// A token of the source: its values times its number, in the entry of its place.
const char* keep_text = R"(
layout(set = 0, binding = 1) readonly buffer Said { float said[]; };
layout(set = 0, binding = 2) writeonly buffer Heard { float heard[]; };
const uint source_entries = 9;
void main() {
  uint token = gl_WorkGroupID.y;
  uint r = first_row + gl_WorkGroupID.x;
  if (pass.live == 0 || token >= pass.token_count || gl_LocalInvocationIndex != 0) return;
  StepToken this_token = pass.tokens[token];
  if ((this_token.flags & token_writes) == 0) return;
  heard[(this_token.slot * source_entries + this_token.position) * hidden_stride + r] =
      said[token * hidden_stride + r] * float(this_token.position + 1);
}
)";

const char* answer_text = R"(
layout(set = 0, binding = 1) readonly buffer Heard { float heard[]; };
layout(set = 0, binding = 2) buffer Hidden { float hidden[]; };
const uint source_entries = 9;
void main() {
  uint token = gl_WorkGroupID.y;
  uint r = first_row + gl_WorkGroupID.x;
  if (pass.live == 0 || token >= pass.token_count || gl_LocalInvocationIndex != 0) return;
  uint slot = pass.tokens[token].slot, count = pass.slots[slot].source_length;
  float sum = 0.0;
  for (uint s = 0; s < count; ++s) sum += heard[(slot * source_entries + s) * hidden_stride + r];
  hidden[token * hidden_stride + r] += sum / float(count);
}
)";

constexpr Binding keep_bindings[] = {
    {"step", Access::read, false}, {"said", Access::read, false}, {"heard", Access::write, false}};
constexpr Binding answer_bindings[] = {
    {"step", Access::read, false}, {"heard", Access::read, false}, {"hidden", Access::read_write, false}};

constexpr std::int64_t heard_row = row_bytes<f32>(toy_hidden_size);
constexpr std::int64_t heard_bytes = toy_max_batch * toy_max_source_length * heard_row;
constexpr std::int64_t heard_stride = (heard_bytes + 255) / 256 * 256;

/// Beside the state of the toy.
BufferView heard_view(std::int64_t layer) {
  const std::int64_t before = toy_program().arena_bytes[static_cast<std::size_t>(Arena::states)];
  return {Arena::states, before + layer * heard_stride, heard_bytes};
}

constexpr std::int32_t keep_kernel = 8, answer_kernel = 9;  // behind those of the toy

/// What each layer has heard is added to what it gives.
void answer(Recorder& record, const Recorder::LayerEnd& end) {
  const Argument step = record.dispatches.front().arguments.front();
  record.dispatch(answer_kernel, {step, Tensor<void, f32>{heard_view(end.layer)}, Tensor<void, f32>{end.hidden_states}},
                  toy_hidden_size);
}

/// The toy's embedding and the projection of its first layer, of which each layer keeps one.
void encode(Recorder& record) {
  Recorder plain;
  phase_of(toy_program(), Stage::layers, Lowering::tiles)->record(plain);
  for (std::size_t i = 0; i < 2; ++i) {
    const Dispatch& dispatch = plain.dispatches[i];
    record.dispatches.push_back(dispatch);
    const auto layer = static_cast<std::int64_t>(i);
    record.dispatch(keep_kernel,
                    {dispatch.arguments.front(), dispatch.arguments.back(), Tensor<void, f32>{heard_view(layer)}},
                    toy_hidden_size);
  }
}

}  // namespace

const Program& toy_answers(std::int32_t eos_token) {
  static const std::vector<std::uint32_t> keep = compile_toy_kernel(keep_text), add = compile_toy_kernel(answer_text);
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> all(toy_program().kernels.begin(), toy_program().kernels.end());
    const KernelCost cost{0, 0, toy_hidden_size, 0, 10};
    all.push_back({"keep", KernelKind::heads, std::as_bytes(std::span(keep)), keep_bindings, cost, 1});
    all.push_back({"answer", KernelKind::heads, std::as_bytes(std::span(add)), answer_bindings, cost, 1});
    return all;
  }();
  static const std::vector<StateTable> states = [] {
    std::vector<StateTable> all(toy_program().states.begin(), toy_program().states.end());
    all.push_back({"heard", StateKind::source, toy_layers, toy_max_batch, 1, toy_max_source_length, heard_row,
                   heard_stride, heard_view(0)});
    return all;
  }();
  static std::map<std::int32_t, Program> programs;
  const auto [place, is_new] = programs.try_emplace(eos_token);
  Program& program = place->second;
  if (!is_new) return program;
  program = toy_program(eos_token);
  program.name = program.spec_hash = "toy_answers";
  program.kernels = kernels;
  program.states = states;
  program.arena_bytes[static_cast<std::size_t>(Arena::states)] += toy_layers * heard_stride;
  program.max_source_length = toy_max_source_length;
  for (Phase& phase : program.phases) {
    if (phase.stage == Stage::layers) phase.record = with_layers_changed(phase.record, answer);
  }
  program.phases.push_back({"encode", Stage::encode, Lowering::tiles, toy_max_source_length, encode});
  return program;
}

}  // namespace monomorph::test
