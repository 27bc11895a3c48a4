#include "runtime/weights.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/weights_source.hpp"

namespace monomorph {

std::vector<TensorEntry> list_tensors(const Program& program) {
  std::vector<TensorEntry> entries;
  for (const TensorGroup& group : program.tensors) {
    const std::int32_t once = -1;
    const std::span<const std::int32_t> layers = group.layers.empty() ? std::span(&once, 1) : group.layers;
    for (const std::int32_t layer : layers) {
      for (const TensorPattern& pattern : group.patterns) {
        entries.push_back({with_layer(pattern.name, layer), &pattern, layer});
      }
    }
  }
  return entries;
}

HostWeights::HostWeights(std::unique_ptr<Source> source) : source_(std::move(source)) {}
HostWeights::HostWeights(HostWeights&&) noexcept = default;
HostWeights& HostWeights::operator=(HostWeights&&) noexcept = default;
HostWeights::~HostWeights() = default;

HostWeights HostWeights::open(const Program& program, const std::string& path) {
  return HostWeights(open_checkpoint(program, path));
}

HostWeights HostWeights::random(const Program& program, std::uint64_t seed) {
  return HostWeights(make_random(program, seed));
}

const std::vector<TensorEntry>& HostWeights::tensors() const { return source_->entries; }

double HostWeights::at(std::int32_t tensor, std::int64_t row, std::int64_t column) const {
  return source_->element(static_cast<std::size_t>(tensor), row, column);
}

void HostWeights::row(std::int32_t tensor, std::int64_t row, std::span<float> out) const {
  assert(static_cast<std::int64_t>(out.size()) == tensors()[static_cast<std::size_t>(tensor)].pattern->columns);
  source_->row(static_cast<std::size_t>(tensor), row, out);
}

void HostWeights::stored_rows(std::int32_t tensor, std::int64_t first, std::int64_t rows,
                              std::span<std::byte> out) const {
  const TensorEntry& entry = tensors()[static_cast<std::size_t>(tensor)];
  const TensorPattern& pattern = *entry.pattern;
  const std::int64_t stride = entry.row_bytes();
  assert(static_cast<std::int64_t>(out.size()) == rows * stride);
  // Padding, and what no part fills, is zero: kernels may read whole rows of four words.
  const std::int64_t used = pattern.columns * element_bytes(pattern.stored);
  for (std::int64_t r = 0; r < rows && used < stride; ++r) {
    const auto padding =
        out.subspan(static_cast<std::size_t>(r * stride + used), static_cast<std::size_t>(stride - used));
    std::fill(padding.begin(), padding.end(), std::byte{0});
  }
  if (pattern.dtype == pattern.stored) {
    source_->raw_rows(static_cast<std::size_t>(tensor), first, rows, out, stride);
    return;
  }
  if (pattern.stored != Dtype::f32) {
    throw Error(ErrorKind::internal, fmt::format("{}: {} in the checkpoint cannot be kept as {}", entry.name,
                                                 name_of(pattern.dtype), name_of(pattern.stored)));
  }
  std::vector<float> values(static_cast<std::size_t>(pattern.columns));
  for (std::int64_t r = 0; r < rows; ++r) {
    source_->row(static_cast<std::size_t>(tensor), first + r, values);
    const auto bytes = std::as_bytes(std::span(values));
    std::copy(bytes.begin(), bytes.end(), out.begin() + r * stride);
  }
}

}  // namespace monomorph
