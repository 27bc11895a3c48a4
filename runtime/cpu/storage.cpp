#include "runtime/cpu/storage.hpp"

#include <algorithm>

namespace monomorph::cpu {
namespace {

constexpr std::int64_t alignment = 64;
// Small enough for a progress bar that moves.
constexpr std::int64_t bytes_at_once = std::int64_t{8} << 20;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Of what is stored, whether every kernel that reads it finds its rows one by one: others take it for one piece.
std::vector<bool> read_by_rows(const Program& program, const std::vector<StoredEntry>& stored) {
  std::vector<bool> by_rows(stored.size(), true);
  for (const Stage stage : {Stage::encode, Stage::layers, Stage::head}) {
    const Phase* phase = phase_of_any_rows(program, stage);
    if (phase == nullptr) continue;
    Recorder recorder;
    phase->record(recorder);
    for (const Dispatch& dispatch : recorder.dispatches) {
      const Kernel& kernel = program.kernels[static_cast<std::size_t>(dispatch.kernel)];
      for (std::size_t b = 0; b < dispatch.arguments.size(); ++b) {
        const std::int32_t id = dispatch.arguments[b].stored;
        if (id < 0 || kernel.bindings[b].splits) continue;
        const std::int32_t same_as = stored[static_cast<std::size_t>(id)].same_as;
        by_rows[static_cast<std::size_t>(same_as < 0 ? id : same_as)] = false;
      }
    }
  }
  return by_rows;
}

/// Whether it may lie where the file is mapped, if kernels and the file allow it.
bool may_be_mapped(const StoredEntry& entry, Quantized quantized) {
  return quantized == Quantized::mapped || !is_quantized(entry.pattern->format);
}

}  // namespace

WeightBytes weight_bytes(const Program& program, Quantized quantized) {
  const std::vector<StoredEntry> stored = list_stored(program);
  const std::vector<WeightEntry> weights = list_weights(program);
  const std::vector<bool> by_rows = read_by_rows(program, stored);
  WeightBytes bytes;
  for (std::size_t id = 0; id < stored.size(); ++id) {
    const StoredEntry& entry = stored[id];
    if (entry.same_as >= 0) continue;
    const bool in_place =
        by_rows[id] && may_be_mapped(entry, quantized) &&
        std::ranges::all_of(entry.pattern->pieces, [&](const StoredPiece& piece) {
          if (piece.weight < 0) return false;
          const WeightPattern& weight = *weights[static_cast<std::size_t>(entry.first_weight + piece.weight)].pattern;
          return weight.dtype == entry.pattern->format && !weight.converted_from && !weight.vector &&
                 std::ranges::none_of(weight.parts, [](const WeightPart& part) { return part.view.transposed; });
        });
    const std::int64_t rows = entry.pattern->rows;
    if (in_place) {
      bytes.mapped += rows * file_row_bytes(entry.pattern->format, entry.pattern->columns);
    } else {
      bytes.copied += aligned(rows * entry.file_row_bytes());
    }
  }
  return bytes;
}

Storage::Storage(const Program& program, const HostWeights& weights, Quantized quantized,
                 const LoadProgress& progress) {
  for (std::size_t arena = 0; arena < arenas_.size(); ++arena) arenas_[arena] = Memory(program.arena_bytes[arena]);
  const std::vector<StoredEntry>& stored = weights.stored();
  const std::vector<bool> by_rows = read_by_rows(program, stored);
  rows_.resize(stored.size());
  std::int64_t of_quantized = 0, of_others = 0;
  for (std::size_t id = 0; id < stored.size(); ++id) {
    const StoredEntry& entry = stored[id];
    held_by_.push_back(entry.same_as < 0 ? static_cast<std::int32_t>(id) : entry.same_as);
    if (entry.same_as >= 0) continue;
    if (by_rows[id] && may_be_mapped(entry, quantized)) {
      rows_[id] = weights.rows_in_place(static_cast<std::int32_t>(id));
    }
    if (!rows_[id].empty()) continue;
    (is_quantized(entry.pattern->format) ? of_quantized : of_others) +=
        aligned(entry.pattern->rows * entry.file_row_bytes());
  }
  quantized_ = Memory(of_quantized, Memory::Pages::large);
  copied_ = Memory(of_others);
  std::byte *quantized_at = quantized_.data(), *others_at = copied_.data();
  const std::int64_t total = of_quantized + of_others;
  std::int64_t done = 0;
  if (progress) progress(0, total);
  for (std::size_t id = 0; id < stored.size(); ++id) {
    const StoredEntry& entry = stored[id];
    if (entry.same_as >= 0 || !rows_[id].empty()) continue;
    std::byte*& at = is_quantized(entry.pattern->format) ? quantized_at : others_at;
    const std::int64_t row_bytes = entry.file_row_bytes(), rows = entry.pattern->rows;
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, bytes_at_once / row_bytes);
    for (std::int64_t row = 0; row < rows; row += rows_at_once) {
      const std::int64_t count = std::min(rows_at_once, rows - row);
      std::byte* const to = at + row * row_bytes;
      weights.file_rows(static_cast<std::int32_t>(id), row, count, {to, static_cast<std::size_t>(count * row_bytes)});
      for (std::int64_t r = 0; r < count; ++r) rows_[id].push_back(to + r * row_bytes);
      if (progress) progress(done + (row + count) * row_bytes, total);
    }
    weights.release(static_cast<std::int32_t>(id));
    at += aligned(rows * row_bytes);
    done += aligned(rows * row_bytes);
  }
  if (progress) progress(total, total);
}

Argument Storage::stored(std::int32_t id) const {
  const auto held = static_cast<std::size_t>(held_by_.at(static_cast<std::size_t>(id)));
  // Kernels read floats of vectors where they write those of activations.
  return {const_cast<std::byte*>(rows_[held].front()), rows_[held].data()};
}

}  // namespace monomorph::cpu
