#include "runtime/load/memory_plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/cpu/ways.hpp"
#include "runtime/vulkan/layout.hpp"

namespace monomorph {
namespace {

std::string readable(std::int64_t bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

/// What a slot of windows does without.
std::string windows_save(const Program& program) {
  const std::int64_t saved = slot_bytes_saved(program.states, program.max_sequence_length);
  return saved == 0 ? "" : fmt::format(", and windows; whole they would take {} more", readable(saved));
}

/// The longest sequences whose states fit into so many bytes, shorter than they are now; 0: none do.
std::int64_t fitting_length(const Program& program, std::int64_t bytes) {
  std::int64_t fits = 0, too_long = program.max_sequence_length;
  while (too_long - fits > 1) {
    const std::int64_t length = fits + (too_long - fits) / 2;
    const bool fit = program.max_batch * slot_bytes(program.states, length) <= bytes;
    (fit ? fits : too_long) = length;
  }
  return fits;
}

}  // namespace

MemoryPlan plan_memory(const Program& program, const std::optional<DeviceInfo>& device) {
  const std::vector<StoredEntry> stored = list_stored(program);
  MemoryPlan plan;
  plan.tensors = std::ranges::count(stored, -1, &StoredEntry::same_as);
  if (device && device->type == DeviceType::processor) {
    const cpu::WeightBytes bytes = cpu::weight_bytes(program);
    plan.weights = bytes.copied;
    plan.mapped = bytes.mapped;
  } else {
    const vulkan::LayoutLimits limits =
        device ? vulkan::LayoutLimits::of(device->limits) : vulkan::LayoutLimits::guaranteed();
    const vulkan::WeightLayout layout = vulkan::lay_out_weights(stored, limits);
    plan.weights = layout.total_bytes();
    plan.slices = static_cast<std::int64_t>(layout.slices.size());
    plan.allocations = static_cast<std::int64_t>(layout.shard_bytes.size());
  }
  const auto arena = [&](Arena a) { return program.arena_bytes[static_cast<std::size_t>(a)]; };
  plan.activations = arena(Arena::activations);
  plan.states = arena(Arena::states);
  plan.host = arena(Arena::host);
  return plan;
}

const MemoryHeap* main_heap(const DeviceInfo& device) {
  const MemoryHeap* best = nullptr;
  for (const MemoryHeap& heap : device.heaps) {
    if (heap.device_local && (best == nullptr || heap.bytes > best->bytes)) best = &heap;
  }
  return best;
}

std::string explain_misfit(const Program& program, const MemoryPlan& plan, const DeviceInfo& device) {
  const MemoryHeap* heap = main_heap(device);
  const std::int64_t available = heap == nullptr ? 0 : std::min(heap->available, heap->bytes);
  if (plan.total() <= available) return {};
  std::string text = fmt::format(
      "{} has too little memory for {}: {} ({} bytes) are needed (weights {}, states {}, activations {}, host {}), {} "
      "({} bytes) are available of {}",
      device.name, program.name, readable(plan.total()), plan.total(), readable(plan.weights), readable(plan.states),
      readable(plan.activations), readable(plan.host), readable(available), available,
      readable(heap == nullptr ? 0 : heap->bytes));
  const std::int64_t slots =
      (available - (plan.total() - plan.states)) / std::max<std::int64_t>(slot_bytes(program.states), 1);
  if (slots >= 1 && slots < program.max_batch) {
    text += fmt::format("; {} of {} slots would fit: build with --set engine.max_batch={}", slots, program.max_batch,
                        slots);
  }
  const std::int64_t fitting = fitting_length(program, available - (plan.total() - plan.states));
  if (fitting >= 1) {
    text += fmt::format("; max_sequence_length {} would fit (now {}): build with --set engine.max_sequence_length={}",
                        fitting, program.max_sequence_length, fitting);
  } else {
    text += "; no max_sequence_length would fit: take another device (--device), or a smaller model";
  }
  return text + ", or run with --device reference, which is slow and takes the host's memory";
}

void check_memory(const Program& program, const MemoryPlan& plan, const DeviceInfo& device) {
  const std::string misfit = explain_misfit(program, plan, device);
  if (!misfit.empty()) throw Error(ErrorKind::device, misfit);
}

std::string describe_memory(const Program& program, const std::optional<DeviceInfo>& device) {
  const MemoryPlan plan = plan_memory(program, device);
  std::string text;
  const auto line = [&](const char* what, std::int64_t bytes, const std::string& note) {
    text +=
        fmt::format("{:<12} {:>16} bytes  {:>10}{}\n", what, bytes, readable(bytes), note.empty() ? "" : "  " + note);
  };
  const bool processor = device && device->type == DeviceType::processor;
  if (processor)
    line("file", plan.mapped, "matrices that are read where their file is mapped: no memory of the engine's");
  line("weights", plan.weights,
       processor ? "vectors, and what the file has transposed or in another type"
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
