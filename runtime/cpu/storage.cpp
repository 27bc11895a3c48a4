#include "runtime/cpu/storage.hpp"

#include <algorithm>

#include "runtime/cpu/interleave.hpp"

namespace monomorph::cpu {
namespace {

constexpr std::int64_t alignment = 64;
// Small enough for a progress bar that moves.
constexpr std::int64_t bytes_at_once = std::int64_t{8} << 20;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// How kernels read what is stored.
struct Reading {
  bool by_rows = true;                                ///< all find its rows one by one: others take it for one piece
  bool (*interleaves)(const Level& level) = nullptr;  ///< of a kernel that may read interleaved rows faster
  bool starts_at_eight = true;  ///< rows that are multiplied together are as many times eight, or all that there are
};

std::vector<Reading> list_readings(const Program& program, const std::vector<StoredEntry>& stored) {
  std::vector<Reading> readings(stored.size());
  for (const Stage stage : {Stage::encode, Stage::layers, Stage::head}) {
    const Phase* phase = phase_of_any_rows(program, stage);
    if (phase == nullptr) continue;
    Recorder recorder;
    phase->record(recorder);
    for (const Dispatch& dispatch : recorder.dispatches) {
      const auto id_of_kernel = static_cast<std::size_t>(dispatch.kernel);
      const Kernel& kernel = program.kernels[id_of_kernel];
      const Function function =
          id_of_kernel < program.cpu_kernels.size() ? program.cpu_kernels[id_of_kernel] : Function{};
      for (std::size_t b = 0; b < dispatch.arguments.size(); ++b) {
        const std::int32_t id = dispatch.arguments[b].stored;
        if (id < 0) continue;
        const std::int32_t same_as = stored[static_cast<std::size_t>(id)].same_as;
        Reading& reading = readings[static_cast<std::size_t>(same_as < 0 ? id : same_as)];
        if (!kernel.bindings[b].splits) {
          reading.by_rows = false;
        } else if (function.interleaves != nullptr) {
          reading.interleaves = function.interleaves;
          if (dispatch.banks > 1 && dispatch.rows % interleaved_rows != 0) reading.starts_at_eight = false;
        }
      }
    }
  }
  return readings;
}

/// Whether it lies where the file is mapped, if the file has it so.
bool may_be_mapped(const StoredEntry& entry, const Reading& reading, Quantized quantized) {
  return reading.by_rows && (quantized == Quantized::mapped || !is_quantized(entry.pattern->format));
}

/// HostWeights::stands_in_place(), by what the program knows of a checkpoint.
bool should_stand_in_place(const StoredEntry& entry, const std::vector<WeightEntry>& weights) {
  return std::ranges::all_of(entry.pattern->pieces, [&](const StoredPiece& piece) {
    if (piece.weight < 0) return false;
    const WeightPattern& weight = *weights[static_cast<std::size_t>(entry.first_weight + piece.weight)].pattern;
    return weight.dtype == entry.pattern->format && !weight.converted_from && !weight.vector &&
           std::ranges::none_of(weight.parts, [](const WeightPart& part) { return part.view.transposed; });
  });
}

}  // namespace

WeightBytes weight_bytes(const Program& program, const HostWeights* from, Quantized quantized) {
  const std::vector<StoredEntry> stored = list_stored(program);
  const std::vector<WeightEntry> weights = list_weights(program);
  const std::vector<Reading> readings = list_readings(program, stored);
  WeightBytes bytes;
  for (std::size_t id = 0; id < stored.size(); ++id) {
    const StoredEntry& entry = stored[id];
    if (entry.same_as >= 0) continue;
    const bool in_place =
        from != nullptr ? from->stands_in_place(static_cast<std::int32_t>(id)) : should_stand_in_place(entry, weights);
    const std::int64_t rows = entry.pattern->rows;
    if (in_place && may_be_mapped(entry, readings[id], quantized)) {
      bytes.mapped += rows * file_row_bytes(entry.pattern->format, entry.pattern->columns);
    } else {
      bytes.copied += aligned(rows * entry.file_row_bytes());
    }
  }
  return bytes;
}

Storage::Storage(const Program& program, const HostWeights& weights, Quantized quantized, const Level& level,
                 const LoadProgress& progress) {
  for (std::size_t arena = 0; arena < arenas_.size(); ++arena) arenas_[arena] = Memory(program.arena_bytes[arena]);
  const std::vector<StoredEntry>& stored = weights.stored();
  const std::vector<Reading> readings = list_readings(program, stored);
  held_.resize(stored.size());
  std::int64_t of_quantized = 0, of_others = 0;
  for (std::size_t id = 0; id < stored.size(); ++id) {
    const StoredEntry& entry = stored[id];
    held_by_.push_back(entry.same_as < 0 ? static_cast<std::int32_t>(id) : entry.same_as);
    if (entry.same_as >= 0) continue;
    if (may_be_mapped(entry, readings[id], quantized) && weights.stands_in_place(static_cast<std::int32_t>(id))) {
      held_[id].rows = weights.rows_in_place(static_cast<std::int32_t>(id));
    }
    if (!held_[id].rows.empty()) continue;
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
    if (entry.same_as >= 0 || !held_[id].rows.empty()) continue;
    std::byte*& at = is_quantized(entry.pattern->format) ? quantized_at : others_at;
    const Reading& reading = readings[id];
    if (reading.by_rows && reading.starts_at_eight && reading.interleaves != nullptr && reading.interleaves(level)) {
      held_[id].interleaved = entry.pattern->rows / interleaved_rows * interleaved_rows;
    }
    const std::int64_t bytes = aligned(entry.pattern->rows * entry.file_row_bytes());
    copy(weights, static_cast<std::int32_t>(id), at, [&](std::int64_t copied) {
      if (progress) progress(done + copied, total);
    });
    at += bytes;
    done += bytes;
  }
  if (progress) progress(total, total);
}

void Storage::copy(const HostWeights& weights, std::int32_t id, std::byte* to,
                   const std::function<void(std::int64_t)>& progress) {
  const StoredEntry& entry = weights.stored()[static_cast<std::size_t>(id)];
  Held& held = held_[static_cast<std::size_t>(id)];
  const std::int64_t row_bytes = entry.file_row_bytes(), rows = entry.pattern->rows;
  const std::int64_t eights_at_once = std::max<std::int64_t>(1, bytes_at_once / (interleaved_rows * row_bytes));
  std::vector<std::byte> read;
  for (std::int64_t first = 0, end = 0; first < rows; first = end) {
    const bool interleaves = first < held.interleaved;
    end = std::min(first + eights_at_once * interleaved_rows, interleaves ? held.interleaved : rows);
    std::byte* const out = to + first * row_bytes;
    const auto bytes = static_cast<std::size_t>((end - first) * row_bytes);
    if (interleaves) read.resize(bytes);
    weights.file_rows(id, first, end - first, {interleaves ? read.data() : out, bytes});
    if (interleaves) interleave(entry.pattern->format, read.data(), end - first, row_bytes, out);
    for (std::int64_t row = first; row < end; ++row) {
      held.rows.push_back(to + (interleaves ? row / interleaved_rows * interleaved_rows : row) * row_bytes);
    }
    progress(end * row_bytes);
  }
  weights.release(id);
}

Argument Storage::stored(std::int32_t id) const {
  const Held& held = held_[static_cast<std::size_t>(held_by_.at(static_cast<std::size_t>(id)))];
  // Kernels read floats of vectors where they write those of activations.
  return {const_cast<std::byte*>(held.rows.front()), held.rows.data(), held.interleaved};
}

}  // namespace monomorph::cpu
