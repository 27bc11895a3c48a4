// Quantized tensors whose blocks and scales are tensors of their own.
#include "runtime/formats/split_blocks.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "runtime/formats/quantized.hpp"
#include "tests/support/safetensors_writer.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace monomorph;

namespace {

using Shape = std::vector<std::int64_t>;

std::string bytes_of(std::size_t count, unsigned first) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>((first + 7 * i) % 256);
  return bytes;
}

std::vector<CheckpointTensor> tensors_of(const std::vector<tests::TensorText>& tensors) {
  const tests::TemporaryDirectory directory;
  return Checkpoint::open(directory.write("model.safetensors", tests::safetensors(tensors))).tensors();
}

}  // namespace

TEST_CASE("blocks and their scales are one tensor of MXFP4, whose elements are neighbours in a byte") {
  const tests::TemporaryDirectory directory;
  const std::string blocks = bytes_of(192, 3), scales = bytes_of(12, 100);
  const Checkpoint checkpoint = Checkpoint::open(
      directory.write("model.safetensors", tests::safetensors({{"w_blocks", "U8", {2, 3, 2, 16}, blocks},
                                                               {"w_scales", "U8", {2, 3, 2}, scales},
                                                               {"w_bias", "BF16", {2, 3}, ""}})));
  REQUIRE(checkpoint.tensors().size() == 2);
  const CheckpointTensor* const tensor = checkpoint.find("w");
  REQUIRE(tensor != nullptr);
  CHECK(tensor->dtype == "MXFP4");
  CHECK(tensor->shape == Shape{2, 3, 64});
  CHECK(checkpoint.total_bytes() == 192 + 12 + 12);
  std::vector<std::byte> copied(static_cast<std::size_t>(file_row_bytes(Dtype::mxfp4, 12 * 32)));
  copy_split_blocks(tensor->data.data(), tensor->scales.data(), copied);
  std::vector<float> values(12 * 32);
  decode_blocks(Dtype::mxfp4, copied.data(), values);
  constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (std::size_t i = 0; i < values.size(); ++i) {
    CAPTURE(i);
    const auto byte = static_cast<unsigned char>(blocks[i / 2]);
    const unsigned code = i % 2 == 0 ? byte & 15u : byte >> 4u;
    const int exponent = static_cast<unsigned char>(scales[i / 32]) - 127;
    CHECK(values[i] == std::ldexp(code < 8 ? magnitudes[code] : -magnitudes[code - 8], exponent));
  }
}

TEST_CASE("blocks without scales of their shape stay what they are") {
  const auto joined = [](const Shape& blocks, const Shape& scales, const std::string& of_scales = "U8",
                         const std::string& other = "v") {
    const std::vector<CheckpointTensor> tensors =
        tensors_of({{"w_blocks", "U8", blocks, ""}, {"w_scales", of_scales, scales, ""}, {other, "F32", {1}, ""}});
    return tensors.size() == 2;
  };
  CHECK(joined({3, 2, 16}, {3, 2}));
  CHECK_FALSE(joined({3, 2, 8}, {3, 2}));
  CHECK_FALSE(joined({3, 2, 16}, {2, 3}));
  CHECK_FALSE(joined({3, 2, 16}, {6}));
  CHECK_FALSE(joined({3, 2, 16}, {3, 2}, "I8"));
  CHECK_FALSE(joined({3, 2, 16}, {3, 2}, "U8", "w"));
  CHECK_FALSE(joined({32, 16}, {32, 1}));
}
