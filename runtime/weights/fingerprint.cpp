#include "runtime/weights/fingerprint.hpp"

#include <algorithm>
#include <vector>

#include "runtime/dtype.hpp"
#include "runtime/formats/content_hash.hpp"

namespace monomorph {
namespace {

constexpr std::int64_t samples = 8;

/// Up to so many indices below `count`, evenly apart, the first and the last among them.
std::vector<std::int64_t> sampled(std::int64_t count) {
  const std::int64_t taken = std::min(samples, count);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < taken; ++i) indices.push_back(taken == 1 ? 0 : i * (count - 1) / (taken - 1));
  return indices;
}

}  // namespace

std::uint64_t fingerprint(const HostWeights& weights) {
  ContentHash hash;
  std::vector<float> row_values;
  const auto count = static_cast<std::int32_t>(weights.weights().size());
  for (std::int32_t id = 0; id < count; ++id) {
    const WeightEntry& entry = weights.weights()[static_cast<std::size_t>(id)];
    const WeightPattern& pattern = *entry.pattern;
    hash.add(entry.name);
    hash.add(name_of(pattern.dtype));
    hash.add_number(pattern.rows);
    hash.add_number(pattern.columns);
    const std::vector<std::int64_t> columns = sampled(pattern.columns);
    for (const std::int64_t row : sampled(pattern.rows)) {
      // What is converted is converted a row at a time.
      const bool whole = pattern.converted_from.has_value();
      if (whole) {
        row_values.resize(static_cast<std::size_t>(pattern.columns));
        weights.row(id, row, row_values);
      }
      for (const std::int64_t column : columns) {
        hash.add_number(whole ? row_values[static_cast<std::size_t>(column)]
                              : static_cast<float>(weights.at(id, row, column)));
      }
    }
  }
  return hash.value();
}

}  // namespace monomorph
