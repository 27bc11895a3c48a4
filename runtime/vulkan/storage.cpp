#include "runtime/vulkan/storage.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/vulkan/schedule.hpp"

namespace monomorph::vulkan {
namespace {

constexpr const char* arena_names[] = {"activations", "states", "host"};
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

}  // namespace monomorph::vulkan
