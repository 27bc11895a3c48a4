// Numbers of layers that the program says itself: no checkpoint has them.
#include <doctest/doctest.h>

#include <cstring>

#include "runtime/error.hpp"
#include "runtime/weights/weights.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;

namespace {

// A number of each layer beside a vector of two elements, of layers 0 and 3.
constexpr float scales[] = {0.5f, 0.125f};
constexpr WeightPart bias_parts[] = {{"h.{i}.bias", {2, 0, 2}}};
constexpr WeightPattern patterns[] = {{"layers.{i}.scale", Dtype::f32, 1, 1, {}, true, {}, {}, scales},
                                      {"layers.{i}.bias", Dtype::f32, 1, 2, bias_parts, true}};
constexpr StoredPiece scale_pieces[] = {{0, 1}}, bias_pieces[] = {{1, 2}};
constexpr StoredPattern stored[] = {{"scale", Dtype::f32, 1, 1, scale_pieces}, {"bias", Dtype::f32, 1, 2, bias_pieces}};
constexpr std::int32_t layers[] = {0, 3};
constexpr WeightGroup groups[] = {{patterns, stored, layers}};
constexpr const char* prefixes[] = {""};

Program make_program() {
  Program program{};
  program.name = "small";
  program.weights = groups;
  program.checkpoint_prefixes = prefixes;
  return program;
}

tests::TensorText tensor(const std::string& name, std::int64_t elements) { return {name, "F32", {elements}, ""}; }

}  // namespace

TEST_CASE("a number that the program says of each layer is the same, whatever the weights are") {
  const Program program = make_program();
  const tests::TemporaryDirectory directory;
  const std::string file = tests::safetensors({tensor("h.0.bias", 2), tensor("h.3.bias", 2)});
  const std::string path = directory.write("model.safetensors", file);
  for (const HostWeights& weights : {HostWeights::open(program, path), HostWeights::random(program, 1)}) {
    for (std::int32_t turn = 0; turn < 2; ++turn) {
      CAPTURE(turn);
      const std::int32_t id = 2 * turn;
      CHECK(weights.at(id, 0, 0) == scales[turn]);
      std::vector<float> row(1);
      weights.row(id, 0, row);
      CHECK(row[0] == scales[turn]);
      std::vector<std::byte> bytes(static_cast<std::size_t>(weights.stored()[static_cast<std::size_t>(id)].bytes()));
      weights.stored_rows(id, 0, 1, bytes);
      float on_device = 0;
      std::memcpy(&on_device, bytes.data(), sizeof on_device);
      CHECK(on_device == scales[turn]);
    }
  }
}

TEST_CASE("a checkpoint that has a tensor for such a number is another model's") {
  const tests::TemporaryDirectory directory;
  const std::string file =
      tests::safetensors({tensor("h.0.bias", 2), tensor("h.3.bias", 2), tensor("layers.0.scale", 1)});
  CHECK_THROWS_WITH_AS(HostWeights::open(make_program(), directory.write("model.safetensors", file)),
                       doctest::Contains("layers.0.scale in"), Error);
}
