// Where the values of weights come from that the program does not say: what HostWeights reads behind its interface.
// Nothing else includes this.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph {

class HostWeights::Source {
 public:
  virtual ~Source() = default;
  virtual double element(std::size_t weight, std::int64_t row, std::int64_t column) const = 0;
  virtual void row(std::size_t weight, std::int64_t row, std::span<float> out) const = 0;
  /// Rows in the pattern's dtype, `stride` bytes apart, blocks as in a file; writes every element and no padding.
  virtual void raw_rows(std::size_t weight, std::int64_t first, std::int64_t rows, std::span<std::byte> out,
                        std::int64_t stride) const = 0;
  /// Whether every row stands somewhere in the pattern's dtype, its blocks as in a file, and need not be read; and
  /// where a row of such a weight stands.
  virtual bool stands_in_place(std::size_t) const { return false; }
  virtual const std::byte* row_in_place(std::size_t, std::int64_t) const { return nullptr; }
  /// A weight is not read again soon.
  virtual void release(std::size_t) const {}
  std::vector<WeightEntry> entries;
  std::vector<StoredEntry> stored;
};

std::unique_ptr<HostWeights::Source> open_checkpoint(const Program& program, const std::string& path);
std::unique_ptr<HostWeights::Source> make_random(const Program& program, std::uint64_t seed);

}  // namespace monomorph
