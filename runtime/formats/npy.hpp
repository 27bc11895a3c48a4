// NumPy's .npy (version 1.0, float32, C order, little endian), for logits: written row by row, so that logits of a long
// prompt never stand in memory whole, and atomically; read back for tests and comparisons.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "runtime/formats/atomic_file.hpp"

namespace monomorph {

class NpyWriter {
 public:
  /// The shape is written at once; what is appended must fill it.
  NpyWriter(const std::filesystem::path& path, std::span<const std::int64_t> shape);
  void append(std::span<const float> values);
  /// Throws Error(internal) when fewer or more values were appended than the shape says.
  void commit();

 private:
  AtomicFile file_;
  std::int64_t remaining_;
};

void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const std::int64_t> shape);

struct NpyArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// Throws Error(rejected) for what is not float32 in C order, Error(environment) for what cannot be read.
NpyArray read_npy(const std::filesystem::path& path);

}  // namespace monomorph
