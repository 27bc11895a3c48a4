#include "runtime/weights/fingerprint.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;

namespace {

constexpr std::int64_t rows = 9, columns = 40;

/// A matrix of f32 and a vector; the matrix is kept as `dtype`, converted where that is not f32.
Program program_of(const char* name, Dtype dtype) {
  static std::array<WeightPart, 1> matrix_parts, vector_parts;
  static std::array<WeightPattern, 2> weights;
  static std::array<WeightGroup, 1> groups;
  static constexpr const char* prefixes[] = {""};
  matrix_parts = {{{"m", {rows, 0, rows}}}};
  vector_parts = {{{"v", {columns, 0, columns}}}};
  weights = {{{name, dtype, rows, columns, matrix_parts}, {"vector", Dtype::f32, 1, columns, vector_parts, true}}};
  if (dtype != Dtype::f32) weights[0].converted_from = Dtype::f32;
  groups = {{{weights, {}, {}}}};
  Program program{};
  program.name = "two";
  program.weights = groups;
  program.checkpoint_prefixes = prefixes;
  return program;
}

/// Of a checkpoint whose elements are their numbers over 8, but for one of the matrix and the whole vector.
std::uint64_t of_checkpoint(std::int64_t row, std::int64_t column, float value, float vector = 1,
                            const char* name = "matrix", Dtype dtype = Dtype::f32) {
  std::vector<float> matrix;
  for (std::int64_t i = 0; i < rows * columns; ++i) matrix.push_back(static_cast<float>(i % 64) / 8);
  matrix[static_cast<std::size_t>(row * columns + column)] = value;
  const tests::TemporaryDirectory directory;
  const std::string path = directory.write(
      "model.safetensors",
      tests::safetensors({{"m", "F32", {rows, columns}, tests::bytes_of(matrix)},
                          {"v", "F32", {columns}, tests::bytes_of(std::vector<float>(columns, vector))}}));
  const Program program = program_of(name, dtype);
  return fingerprint(HostWeights::open(program, path));
}

}  // namespace

TEST_CASE("weights have one fingerprint each time, and others where an element that is looked at differs") {
  const std::set<std::uint64_t> all = {of_checkpoint(0, 0, 0),
                                       of_checkpoint(0, 0, 0.125f),
                                       of_checkpoint(rows - 1, columns - 1, 9),
                                       of_checkpoint(0, columns - 1, 9),
                                       of_checkpoint(0, 0, 0, 2),
                                       of_checkpoint(0, 0, 0, 1, "other"),
                                       of_checkpoint(0, 0, 0, 1, "matrix", Dtype::f16)};
  CHECK(all.size() == 7);
  CHECK(of_checkpoint(0, 0, 0) == of_checkpoint(0, 0, 0));
  // Of 9 rows and 40 columns 8 each are looked at, not these.
  CHECK(of_checkpoint(0, 1, 9) == of_checkpoint(0, 1, 8));
  const Program program = program_of("matrix", Dtype::f32);
  CHECK(fingerprint(HostWeights::random(program, 1)) == fingerprint(HostWeights::random(program, 1)));
  CHECK(fingerprint(HostWeights::random(program, 1)) != fingerprint(HostWeights::random(program, 2)));
}

TEST_CASE("what is converted is told by what it becomes") {
  // An f16 between 0.125 and the next: both are 0.125.
  CHECK(of_checkpoint(0, 0, 0.125f, 1, "matrix", Dtype::f16) ==
        of_checkpoint(0, 0, 0.125001f, 1, "matrix", Dtype::f16));
  CHECK(of_checkpoint(0, 0, 0.125f) != of_checkpoint(0, 0, 0.125001f));
}
