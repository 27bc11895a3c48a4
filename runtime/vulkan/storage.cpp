#include "runtime/vulkan/storage.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/vulkan/schedule.hpp"

namespace monomorph::vulkan {
namespace {

constexpr const char* arena_names[] = {"activations", "states", "host", "tables"};
static_assert(std::size(arena_names) == arena_count);
// Small enough for a progress bar that moves, large enough for full speed.
constexpr std::int64_t upload_bytes = std::int64_t{8} << 20;

}  // namespace

Storage::Storage(const Device& device, const Program& program, const HostWeights& weights,
                 const LoadProgress& progress) {
  const LayoutLimits limits = LayoutLimits::of(device.limits());
  weights_ = lay_out_weights(weights.stored(), limits);
  arenas_ = lay_out_arenas(program, views_of(program), limits);
  types_ = choose_memory_types(device);
  Uploader uploader(device, types_);
  for (std::size_t i = 0; i < weights_.shard_bytes.size(); ++i) {
    buffers_.emplace_back(device, weights_.shard_bytes[i], types_.device, types_.direct, fmt::format("weights {}", i));
  }
  for (const ArenaPiece& piece : arenas_.pieces) {
    buffers_.emplace_back(device, piece.bytes, types_.device, types_.direct,
                          arena_names[static_cast<std::size_t>(piece.arena)]);
    uploader.zero(buffers_.back());
  }
  for (const RotaryTable& table : program.rotary_tables) {
    const Place place = place_of(weights_, arenas_, table.view);
    const std::vector<std::byte> bytes = rotary_table_bytes(table);
    const auto total = static_cast<std::int64_t>(bytes.size());
    for (std::int64_t at = 0; at < total; at += upload_bytes) {
      const std::int64_t count = std::min(upload_bytes, total - at);
      uploader.write(buffers_[place.buffer], place.offset + at, count,
                     [&](std::span<std::byte> out) { std::memcpy(out.data(), bytes.data() + at, out.size()); });
    }
  }
  upload_weights(uploader, weights, progress);
  uploader.finish();
}

void Storage::upload_weights(Uploader& uploader, const HostWeights& weights, const LoadProgress& progress) {
  std::int64_t total = 0, done = 0;
  for (const Slice& slice : weights_.slices) total += slice.bytes;
  if (progress) progress(0, total);
  for (const Slice& slice : weights_.slices) {
    const std::int64_t stride = weights_.row_bytes[static_cast<std::size_t>(slice.stored)];
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, upload_bytes / stride);
    for (std::int64_t row = 0; row < slice.rows; row += rows_at_once) {
      const std::int64_t rows = std::min(rows_at_once, slice.rows - row);
      uploader.write(buffers_[slice.shard], slice.offset + row * stride, rows * stride, [&](std::span<std::byte> out) {
        weights.stored_rows(slice.stored, slice.first_row + row, rows, out);
      });
      done += rows * stride;
      if (progress) progress(done, total);
    }
  }
}

std::vector<std::byte> rotary_table_bytes(const RotaryTable& table) {
  const auto frequencies = static_cast<std::int64_t>(table.frequencies.size());
  const std::int64_t stride = table.positions > 0 ? table.view.bytes / table.positions : 0;
  if (stride < frequencies * 8 || stride * table.positions != table.view.bytes) {
    throw Error(ErrorKind::internal, fmt::format("a rotary table of {} positions and {} frequencies has {} bytes",
                                                 table.positions, frequencies, table.view.bytes));
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(table.view.bytes));
  for (std::int64_t position = 0; position < table.positions; ++position) {
    for (std::int64_t i = 0; i < frequencies; ++i) {
      // The angle is rounded to f32 as the reference implementations form it; its cosine and sine are not approximated.
      const float angle = static_cast<float>(position) * table.frequencies[static_cast<std::size_t>(i)];
      const float pair[] = {static_cast<float>(std::cos(static_cast<double>(angle))) * table.factor,
                            static_cast<float>(std::sin(static_cast<double>(angle))) * table.factor};
      std::memcpy(bytes.data() + position * stride + i * 8, pair, sizeof pair);
    }
  }
  return bytes;
}

}  // namespace monomorph::vulkan
