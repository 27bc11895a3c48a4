#include "runtime/cpu/ways.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.hpp"
#include "runtime/program/hazards.hpp"

namespace monomorph::cpu {
namespace {

constexpr std::int64_t alignment = 64;
// Small enough for a progress bar that moves.
constexpr std::int64_t bytes_at_once = std::int64_t{8} << 20;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

Storage::Storage(const Program& program, const HostWeights& weights, const LoadProgress& progress) {
  for (std::size_t arena = 0; arena < arenas_.size(); ++arena) arenas_[arena] = Memory(program.arena_bytes[arena]);
  const std::vector<StoredEntry>& stored = weights.stored();
  std::int64_t total = 0, done = 0;
  for (const StoredEntry& entry : stored) {
    if (entry.same_as < 0) total += aligned(entry.pattern->rows * entry.file_row_bytes());
  }
  weights_ = Memory(total);
  rows_.resize(stored.size());
  if (progress) progress(0, total);
  for (std::size_t id = 0; id < stored.size(); ++id) {
    const StoredEntry& entry = stored[id];
    held_by_.push_back(entry.same_as < 0 ? static_cast<std::int32_t>(id) : entry.same_as);
    if (entry.same_as >= 0) continue;
    const std::int64_t row_bytes = entry.file_row_bytes(), rows = entry.pattern->rows;
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, bytes_at_once / row_bytes);
    for (std::int64_t row = 0; row < rows; row += rows_at_once) {
      const std::int64_t count = std::min(rows_at_once, rows - row);
      std::byte* const to = weights_.data() + done + row * row_bytes;
      weights.file_rows(static_cast<std::int32_t>(id), row, count, {to, static_cast<std::size_t>(count * row_bytes)});
      for (std::int64_t r = 0; r < count; ++r) rows_[id].push_back(to + r * row_bytes);
      if (progress) progress(done + (row + count) * row_bytes, total);
    }
    done += aligned(rows * row_bytes);
  }
  if (progress) progress(total, total);
}

Argument Storage::stored(std::int32_t id) const {
  const auto held = static_cast<std::size_t>(held_by_.at(static_cast<std::size_t>(id)));
  // Kernels read floats of vectors where they write those of activations.
  return {const_cast<std::byte*>(rows_[held].front()), rows_[held].data()};
}

Way make_way(const Program& program, const Storage& storage, Stage stage) {
  Way way;
  const Phase* phase = phase_of_any_rows(program, stage);
  if (phase == nullptr) return way;
  phase->record(way.recorder);
  HazardTracker hazards;
  for (const Dispatch& dispatch : way.recorder.dispatches) {
    const Kernel& kernel = program.kernels[static_cast<std::size_t>(dispatch.kernel)];
    const Function function = program.cpu_kernels[static_cast<std::size_t>(dispatch.kernel)];
    if (function.run == nullptr || dispatch.arguments.size() != kernel.bindings.size()) {
      throw Error(ErrorKind::internal, fmt::format("kernel {} is not one that a CPU runs", kernel.name));
    }
    Step step{function, {}, false};
    std::vector<ByteAccess> accesses;
    for (std::size_t b = 0; b < dispatch.arguments.size(); ++b) {
      const auto& [view, stored] = dispatch.arguments[b];
      step.arguments.push_back(stored < 0 ? Argument{storage.at(view)} : storage.stored(stored));
      if (stored >= 0) continue;
      const Access access = kernel.bindings[b].access;
      accesses.push_back({static_cast<std::size_t>(view.arena), view.offset, view.bytes, access != Access::write,
                          access != Access::read});
    }
    step.waits = hazards.add(accesses);
    way.steps.push_back(std::move(step));
  }
  return way;
}

}  // namespace monomorph::cpu
