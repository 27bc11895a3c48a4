// Weights on the host: the mapping from a program's weights to a checkpoint's tensors, checked once, then read row by
// row. The device's upload and the reference read the same mapping, so they cannot disagree about what a weight is;
// how the device stacks weights is a table of its own, which the reference does not read.
//
// Takes a Program's tables and a checkpoint (or a seed); gives rows as floats, or as the bytes a device stores.
// Guarantees: every part was found, with the dtype and shape the program states, and nothing else. Reading throws
// Error(rejected) for values alone: scales that are no numbers, and what the type that a weight is converted to cannot
// hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/formats/checkpoint_names.hpp"
#include "runtime/formats/conversion.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// A weight of the program: its id is its place in the list.
struct WeightEntry {
  std::string name;  ///< the pattern's, with the layer in it
  const WeightPattern* pattern = nullptr;
  LayerPlace place{};
  std::span<const float> values{};  ///< its elements, where the program says them; else they are the checkpoint's
  std::int32_t same_as = -1;        ///< the weight of an earlier layer that has the same tensors; -1: none
};

/// What the device stores: its id is its place in the list.
struct StoredEntry {
  std::string name;  ///< the pattern's, and the layer
  const StoredPattern* pattern = nullptr;
  std::int64_t layer = -1;
  std::int32_t first_weight = 0;  ///< of its group and layer: what pieces count from
  std::int32_t same_as = -1;      ///< what an earlier layer stores of the same tensors; -1: nothing
  std::int64_t row_bytes() const { return monomorph::row_bytes(pattern->format, pattern->columns); }
  std::int64_t bytes() const { return pattern->rows * row_bytes(); }
  /// Of a row of blocks as files have them; rows of what is not quantized are padded as the device's.
  std::int64_t file_row_bytes() const {
    return is_quantized(pattern->format) ? monomorph::file_row_bytes(pattern->format, pattern->columns) : row_bytes();
  }
};

/// A program's weights, and what it stores, in the order of their ids.
std::vector<WeightEntry> list_weights(const Program& program);
std::vector<StoredEntry> list_stored(const Program& program);
/// What a checkpoint's weights become when they are loaded.
Conversions list_conversions(const Program& program);

class HostWeights {
 public:
  /// Opens a checkpoint and finds every tensor in it. Throws Error(rejected) with all tensors that are missing, have
  /// another dtype or shape, or are not used (Program::ignored_tensors aside), Error(environment) for files that cannot
  /// be read.
  static HostWeights open(const Program& program, const std::string& path);
  /// Normal values scaled by 1 / sqrt(columns) (vectors: 1 + 0.3 normal, biases 0.3 normal, those that lambda of
  /// differential attention is made of as rows of matrices), rounded to the dtype; the same for the same seed.
  static HostWeights random(const Program& program, std::uint64_t seed);

  HostWeights(HostWeights&&) noexcept;
  HostWeights& operator=(HostWeights&&) noexcept;
  ~HostWeights();

  const std::vector<WeightEntry>& weights() const;
  const std::vector<StoredEntry>& stored() const;

  /// Element (row, column), exact.
  double at(std::int32_t weight, std::int64_t row, std::int64_t column) const;
  /// A whole row; out has the weight's columns. A vector's row is 0. Safe to call from several threads.
  void row(std::int32_t weight, std::int64_t row, std::span<float> out) const;

  /// Rows first..first + rows - 1 as the device stores them, each padded with zeros to row_bytes().
  void stored_rows(std::int32_t stored, std::int64_t first, std::int64_t rows, std::span<std::byte> out) const;

  /// The same with blocks as files have them, each row file_row_bytes().
  void file_rows(std::int32_t stored, std::int64_t first, std::int64_t rows, std::span<std::byte> out) const;

  /// Whether each of those rows stands in the checkpoint's files as it is, but for padding.
  bool stands_in_place(std::int32_t stored) const;

  /// Where each of such rows stands, for as long as this lives.
  std::vector<const std::byte*> rows_in_place(std::int32_t stored) const;

  /// Says that these rows are not read again soon: the system may take back the pages of the file that they stand in.
  void release(std::int32_t stored) const;

  class Source;  ///< a checkpoint or a generator of random values

 private:
  explicit HostWeights(std::unique_ptr<Source> source);
  /// Whose blocks: cut into planes, or whole.
  enum class Blocks { planes, whole };
  void rows_of(const StoredEntry& entry, Blocks blocks, std::int64_t first, std::int64_t rows,
               std::span<std::byte> out) const;
  const WeightPattern& weight_of(const StoredEntry& entry, const StoredPiece& piece) const;
  void copy_vector(const StoredEntry& entry, const StoredPiece& piece, std::int64_t begin,
                   std::span<std::byte> out) const;
  void copy_rows(const StoredEntry& entry, const StoredPiece& piece, Blocks blocks, std::int64_t first,
                 std::int64_t rows, std::span<std::byte> out) const;
  void copy_blocks(const StoredEntry& entry, std::size_t weight, Blocks blocks, std::int64_t first, std::int64_t rows,
                   std::span<std::byte> out) const;
  void check_scales(const StoredEntry& entry, std::size_t weight, std::int64_t first, const std::byte* rows,
                    std::int64_t bytes) const;
  [[noreturn]] void throw_unstorable(const StoredEntry& entry, std::size_t weight) const;
  std::unique_ptr<Source> source_;
};

}  // namespace monomorph
