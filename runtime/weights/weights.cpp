#include "runtime/weights/weights.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/quantized.hpp"
#include "runtime/weights/source.hpp"

namespace monomorph {

namespace {

/// Calls visit(group, turn) for each group and each of its layers, 0, 1 ...; once where it occurs once.
template <class Visit>
void for_each_layer(const Program& program, const Visit& visit) {
  for (const WeightGroup& group : program.weights) {
    for (std::size_t turn = 0; turn < std::max<std::size_t>(group.layers.size(), 1); ++turn) visit(group, turn);
  }
}

/// All are -1 where the group occurs once.
LayerPlace place_of(const WeightGroup& group, std::size_t turn) {
  const auto at = [&](std::span<const std::int32_t> of_layers) { return of_layers.empty() ? -1 : of_layers[turn]; };
  return {at(group.layers), at(group.numbers), at(group.sets)};
}

}  // namespace

std::vector<WeightEntry> list_weights(const Program& program) {
  std::vector<WeightEntry> entries;
  std::map<std::pair<const WeightPattern*, std::vector<std::string>>, std::int32_t> known;
  for_each_layer(program, [&](const WeightGroup& group, std::size_t turn) {
    const LayerPlace place = place_of(group, turn);
    for (const WeightPattern& pattern : group.weights) {
      const auto id = static_cast<std::int32_t>(entries.size());
      entries.push_back({with_layer(pattern.name, place), &pattern, place});
      if (!pattern.values.empty()) {
        const auto elements = static_cast<std::size_t>(pattern.columns);
        entries.back().values = pattern.values.subspan(turn * elements, elements);
        continue;
      }
      std::vector<std::string> tensors;
      for (const WeightPart& part : pattern.parts) tensors.push_back(with_layer(part.name, place));
      const auto [first, is_new] = known.emplace(std::pair(&pattern, std::move(tensors)), id);
      if (!is_new) entries.back().same_as = first->second;
    }
  });
  return entries;
}

std::vector<StoredEntry> list_stored(const Program& program) {
  const std::vector<WeightEntry> weights = list_weights(program);
  std::vector<StoredEntry> entries;
  std::int32_t first_weight = 0;
  std::map<std::pair<const StoredPattern*, std::vector<std::int32_t>>, std::int32_t> known;  // by their weights
  for_each_layer(program, [&](const WeightGroup& group, std::size_t turn) {
    const std::int64_t layer = place_of(group, turn).layer;
    for (const StoredPattern& pattern : group.stored) {
      const auto id = static_cast<std::int32_t>(entries.size());
      const std::string name = layer < 0 ? pattern.name : fmt::format("{} of layer {}", pattern.name, layer);
      std::vector<std::int32_t> read;
      for (const StoredPiece& piece : pattern.pieces) {
        if (piece.weight < 0) continue;
        const std::int32_t weight = first_weight + piece.weight;
        const std::int32_t same_as = weights[static_cast<std::size_t>(weight)].same_as;
        read.push_back(same_as < 0 ? weight : same_as);
      }
      const auto [first, is_new] = known.emplace(std::pair(&pattern, std::move(read)), id);
      entries.push_back({name, &pattern, layer, first_weight, is_new ? -1 : first->second});
    }
    first_weight += static_cast<std::int32_t>(group.weights.size());
  });
  return entries;
}

Conversions list_conversions(const Program& program) {
  Conversions conversions;
  for (const WeightEntry& entry : list_weights(program)) {
    const WeightPattern& weight = *entry.pattern;
    if (weight.converted_from && entry.same_as < 0) ++conversions[{*weight.converted_from, weight.dtype}];
  }
  return conversions;
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

const std::vector<WeightEntry>& HostWeights::weights() const { return source_->entries; }
const std::vector<StoredEntry>& HostWeights::stored() const { return source_->stored; }

double HostWeights::at(std::int32_t weight, std::int64_t row, std::int64_t column) const {
  const std::span<const float> values = weights()[static_cast<std::size_t>(weight)].values;
  return values.empty() ? source_->element(static_cast<std::size_t>(weight), row, column)
                        : values[static_cast<std::size_t>(column)];
}

void HostWeights::row(std::int32_t weight, std::int64_t row, std::span<float> out) const {
  const WeightEntry& entry = weights()[static_cast<std::size_t>(weight)];
  assert(static_cast<std::int64_t>(out.size()) == entry.pattern->columns);
  if (entry.values.empty()) {
    source_->row(static_cast<std::size_t>(weight), row, out);
  } else {
    std::ranges::copy(entry.values, out.begin());
  }
}

void HostWeights::stored_rows(std::int32_t stored, std::int64_t first, std::int64_t rows,
                              std::span<std::byte> out) const {
  rows_of(this->stored()[static_cast<std::size_t>(stored)], Blocks::planes, first, rows, out);
}

void HostWeights::file_rows(std::int32_t stored, std::int64_t first, std::int64_t rows,
                            std::span<std::byte> out) const {
  rows_of(this->stored()[static_cast<std::size_t>(stored)], Blocks::whole, first, rows, out);
}

bool HostWeights::stands_in_place(std::int32_t stored) const {
  const StoredEntry& entry = this->stored()[static_cast<std::size_t>(stored)];
  return std::ranges::all_of(entry.pattern->pieces, [&](const StoredPiece& piece) {
    const auto weight = static_cast<std::size_t>(entry.first_weight + piece.weight);
    return piece.weight >= 0 && weights()[weight].pattern->dtype == entry.pattern->format &&
           source_->stands_in_place(weight);
  });
}

std::vector<const std::byte*> HostWeights::rows_in_place(std::int32_t stored) const {
  const StoredEntry& entry = this->stored()[static_cast<std::size_t>(stored)];
  assert(stands_in_place(stored));
  std::vector<const std::byte*> rows;
  for (const StoredPiece& piece : entry.pattern->pieces) {
    const auto weight = static_cast<std::size_t>(entry.first_weight + piece.weight);
    for (std::int64_t row = 0; row < piece.rows; ++row) {
      rows.push_back(source_->row_in_place(weight, row));
      if (is_quantized(entry.pattern->format)) check_scales(entry, weight, row, rows.back(), entry.file_row_bytes());
    }
  }
  return rows;
}

void HostWeights::release(std::int32_t stored) const {
  const StoredEntry& entry = this->stored()[static_cast<std::size_t>(stored)];
  for (const StoredPiece& piece : entry.pattern->pieces) {
    if (piece.weight >= 0) source_->release(static_cast<std::size_t>(entry.first_weight + piece.weight));
  }
}

void HostWeights::rows_of(const StoredEntry& entry, Blocks blocks, std::int64_t first, std::int64_t rows,
                          std::span<std::byte> out) const {
  const StoredPattern& pattern = *entry.pattern;
  const std::int64_t stride = blocks == Blocks::planes ? entry.row_bytes() : entry.file_row_bytes();
  assert(static_cast<std::int64_t>(out.size()) == rows * stride);
  // Padding is zero, and so is what no weight fills: kernels read whole rows of four words.
  std::fill(out.begin(), out.end(), std::byte{0});
  std::int64_t begin = 0;
  for (const StoredPiece& piece : pattern.pieces) {
    const std::int64_t end = begin + piece.rows;
    if (piece.weight >= 0 && weight_of(entry, piece).vector) {
      copy_vector(entry, piece, begin, out);
    } else if (piece.weight >= 0) {
      const std::int64_t from = std::max(first, begin), to = std::min(first + rows, end);
      if (from < to) {
        copy_rows(entry, piece, blocks, from - begin, to - from,
                  out.subspan(static_cast<std::size_t>((from - first) * stride),
                              static_cast<std::size_t>((to - from) * stride)));
      }
    }
    begin = end;
  }
}

const WeightPattern& HostWeights::weight_of(const StoredEntry& entry, const StoredPiece& piece) const {
  return *weights()[static_cast<std::size_t>(entry.first_weight + piece.weight)].pattern;
}

/// Elements of a vector, from `begin` on.
void HostWeights::copy_vector(const StoredEntry& entry, const StoredPiece& piece, std::int64_t begin,
                              std::span<std::byte> out) const {
  const std::int32_t id = entry.first_weight + piece.weight;
  if (entry.pattern->format != Dtype::f32) throw_unstorable(entry, static_cast<std::size_t>(id));
  std::vector<float> values(static_cast<std::size_t>(piece.rows));
  row(id, 0, values);
  const auto bytes = std::as_bytes(std::span(values));
  std::copy(bytes.begin(), bytes.end(), out.begin() + begin * element_bytes(Dtype::f32));
}

/// Rows of a matrix of blocks, whose scales are numbers.
void HostWeights::copy_blocks(const StoredEntry& entry, std::size_t weight, Blocks blocks, std::int64_t first,
                              std::int64_t rows, std::span<std::byte> out) const {
  const Dtype dtype = entry.pattern->format;
  const std::int64_t in_file = entry.file_row_bytes(), stride = entry.row_bytes();
  std::vector<std::byte> read(blocks == Blocks::planes ? static_cast<std::size_t>(rows * in_file) : 0);
  const std::span<std::byte> whole = blocks == Blocks::planes ? std::span(read) : out;
  source_->raw_rows(weight, first, rows, whole, in_file);
  check_scales(entry, weight, first, whole.data(), rows * in_file);
  if (blocks == Blocks::whole) return;
  for (std::int64_t r = 0; r < rows; ++r) {
    cut_into_planes(dtype, whole.data() + r * in_file, entry.pattern->columns,
                    out.subspan(static_cast<std::size_t>(r * stride), static_cast<std::size_t>(stride)));
  }
}

/// Of rows of blocks that stand one after another, which begin with row `first`.
void HostWeights::check_scales(const StoredEntry& entry, std::size_t weight, std::int64_t first, const std::byte* rows,
                               std::int64_t bytes) const {
  const std::int64_t block = row_of(entry.pattern->format).block_bytes;
  const std::int64_t bad = find_bad_scale(entry.pattern->format, rows, bytes / block);
  if (bad < 0) return;
  throw Error(ErrorKind::rejected,
              fmt::format("{}: row {} has a scale that is infinite or no number; copy or download the file again",
                          source_->entries[weight].name, first + bad * block / entry.file_row_bytes()));
}

/// Rows of a matrix: as they are, cut into planes, or widened to f32.
void HostWeights::copy_rows(const StoredEntry& entry, const StoredPiece& piece, Blocks blocks, std::int64_t first,
                            std::int64_t rows, std::span<std::byte> out) const {
  const std::size_t id = static_cast<std::size_t>(entry.first_weight + piece.weight);
  const Dtype dtype = source_->entries[id].pattern->dtype;
  const std::int64_t stride = entry.row_bytes();
  if (dtype != entry.pattern->format && entry.pattern->format != Dtype::f32) throw_unstorable(entry, id);
  if (is_quantized(dtype) && dtype == entry.pattern->format) return copy_blocks(entry, id, blocks, first, rows, out);
  if (dtype == entry.pattern->format) return source_->raw_rows(id, first, rows, out, stride);
  std::vector<float> values(static_cast<std::size_t>(entry.pattern->columns));
  for (std::int64_t r = 0; r < rows; ++r) {
    source_->row(id, first + r, values);
    const auto bytes = std::as_bytes(std::span(values));
    std::copy(bytes.begin(), bytes.end(), out.begin() + r * stride);
  }
}

void HostWeights::throw_unstorable(const StoredEntry& entry, std::size_t weight) const {
  throw Error(ErrorKind::internal,
              fmt::format("{}: {} in the checkpoint cannot be stored as {}", entry.name,
                          name_of(source_->entries[weight].pattern->dtype), name_of(entry.pattern->format)));
}

}  // namespace monomorph
