#include "runtime/engine/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "runtime/engine/backend.hpp"
#include "runtime/error.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph {

std::string binary_size(std::int64_t bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

MemoryPlan plan_without_weights(const Program& program) {
  const auto arena = [&](Arena a) { return program.arena_bytes[static_cast<std::size_t>(a)]; };
  MemoryPlan plan;
  plan.tensors = std::ranges::count(list_stored(program), -1, &StoredEntry::same_as);
  plan.activations = arena(Arena::activations);
  plan.states = arena(Arena::states);
  plan.host = arena(Arena::host);
  return plan;
}

namespace {

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
      device.name, program.name, binary_size(plan.total()), plan.total(), binary_size(plan.weights),
      binary_size(plan.states), binary_size(plan.activations), binary_size(plan.host), binary_size(available),
      available, binary_size(heap == nullptr ? 0 : heap->bytes));
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
  const bool may_take_cpu =
      device.type != DeviceType::processor && std::ranges::count(program.backends, "cpu", &Backend::name) > 0;
  return text + (may_take_cpu ? ", or run with --device cpu, which takes the host's memory"
                              : ", or run with --device reference, which is slow and takes the host's memory");
}

void check_memory(const Program& program, const MemoryPlan& plan, const DeviceInfo& device) {
  const std::string misfit = explain_misfit(program, plan, device);
  if (!misfit.empty()) throw Error(ErrorKind::device, misfit);
}

}  // namespace monomorph
