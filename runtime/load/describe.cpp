// What `info` tells of a program: its memory and its dispatches.
#include <fmt/format.h>

#include "runtime/load/load.hpp"

namespace monomorph {
namespace {

/// What a slot of windows does without.
std::string windows_save(const Program& program) {
  const std::int64_t saved = slot_bytes_saved(program.states, program.max_sequence_length);
  return saved == 0 ? "" : fmt::format(", and windows; whole they would take {} more", binary_size(saved));
}

}  // namespace

std::string describe_memory(const Program& program, const std::optional<DeviceInfo>& device) {
  const MemoryPlan plan = plan_memory(program, device);
  std::string text;
  const auto line = [&](const char* what, std::int64_t bytes, const std::string& note) {
    text += fmt::format("{:<12} {:>16} bytes  {:>10}{}\n", what, bytes, binary_size(bytes),
                        note.empty() ? "" : "  " + note);
  };
  const bool processor = plan.mapped > 0 || (device && device->type == DeviceType::processor);
  if (processor)
    line("file", plan.mapped, "matrices that are read where their file is mapped: no memory of the engine's");
  line("weights", plan.weights,
       processor
           ? "what is copied: vectors, what stands transposed or in another type, quantized matrices where they fit"
           : fmt::format("{} tensors, {} slices, {} allocations", plan.tensors, plan.slices, plan.allocations));
  line("states", plan.states,
       fmt::format("{} slot{} of {} bytes: {} tokens, {} bytes each{}", program.max_batch,
                   program.max_batch == 1 ? "" : "s", slot_bytes(program.states), program.max_sequence_length,
                   state_bytes_per_token(program.states), windows_save(program)));
  line("activations", plan.activations, fmt::format("{} tokens at once", program.prefill_chunk));
  line("host", plan.host,
       fmt::format("the step, rotary angles of a pass, {} of {} {}",
                   program.pooling == Pooling::none ? "logits" : "vectors", program.head_rows,
                   program.pooling == Pooling::none ? "rows" : "texts"));
  line("total", plan.total(), "");
  if (!device) return text;
  const MemoryHeap* heap = main_heap(*device);
  if (heap == nullptr) return text + fmt::format("{}: it has no memory\n", device->name);
  text += fmt::format("{}: {} bytes available of {} ({})\n", device->name, heap->available, heap->bytes,
                      processor               ? "what the machine has free"
                      : device->memory_budget ? "by the driver's budget"
                                              : "the heap's size; the driver tells no budget");
  const std::string misfit = explain_misfit(program, plan, *device);
  text += misfit.empty() ? "it fits\n" : misfit + "\n";
  return text;
}

DispatchCount count_dispatches(const Program& program) {
  DispatchCount count;
  count.kernels = static_cast<std::int64_t>(program.kernels.size());
  for (const Kernel& kernel : program.kernels) count.spirv_bytes += static_cast<std::int64_t>(kernel.spirv.size());
  const auto record = [&](Stage stage, Lowering lowering) {
    Recorder recorder;
    if (const Phase* phase = phase_of(program, stage, lowering)) phase->record(recorder);
    return recorder;
  };
  const auto dispatches = [&](Stage stage, Lowering lowering) {
    return static_cast<std::int64_t>(record(stage, lowering).dispatches.size());
  };
  const Recorder decode = record(Stage::layers, Lowering::vector);
  count.decode = static_cast<std::int64_t>(decode.dispatches.size());
  count.head = dispatches(Stage::head, Lowering::vector);
  count.sample = dispatches(Stage::sample, Lowering::vector);
  count.prefill = dispatches(Stage::layers, Lowering::tiles);
  // What the embedding takes is not marked; a middle layer stands between two marks.
  if (decode.layer_ends.size() >= 2) {
    count.per_layer = decode.layer_ends[1].dispatch_count - decode.layer_ends[0].dispatch_count;
  } else {
    count.per_layer = count.decode;
  }
  return count;
}

}  // namespace monomorph
