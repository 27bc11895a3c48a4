#include "generator/audit/scan_values.hpp"

#include "tests/generator/audit/small_model.hpp"

using namespace monomorph;
using namespace monomorph::tests;
using namespace monomorph::generator;

namespace {

/// `count` zeros of two or four bytes, one of them replaced.
std::string zeros_but(std::size_t count, std::size_t index, const std::string& value) {
  std::string bytes(count * value.size(), '\0');
  bytes.replace(index * value.size(), value.size(), value);
  return bytes;
}

std::optional<NotFinite> find(const std::string& dtype, const std::string& bytes) {
  CheckpointTensor tensor;
  tensor.dtype = dtype;
  tensor.data = std::as_bytes(std::span(bytes));
  return find_not_finite(tensor);
}

}  // namespace

TEST_CASE("NaN and infinity are found in every type, with their index") {
  const struct {
    const char* dtype;
    std::string value;  ///< little endian
    bool nan;
  } cases[] = {
      {"F32", std::string("\x00\x00\xc0\x7f", 4), true}, {"F32", std::string("\x00\x00\x80\xff", 4), false},
      {"F16", std::string("\x00\x7e", 2), true},         {"F16", std::string("\x00\x7c", 2), false},
      {"BF16", std::string("\xc0\x7f", 2), true},        {"BF16", std::string("\x80\xff", 2), false},
  };
  for (const auto& [dtype, value, nan] : cases) {
    CAPTURE(dtype);
    const auto found = find(dtype, zeros_but(100, 37, value));
    REQUIRE(found);
    CHECK(found->first == 37);
    CHECK(found->count == 1);
    CHECK((found->value != found->value) == nan);
  }
}

TEST_CASE("a scale that is no number is found where scales stand in a tensor of their own") {
  const std::string blocks(5 * 16, '\0');
  const auto found = [&](const std::string& scales) {
    CheckpointTensor tensor;
    tensor.dtype = "MXFP4";
    tensor.data = std::as_bytes(std::span(blocks));
    tensor.scales = std::as_bytes(std::span(scales));
    return find_not_finite(tensor);
  };
  CHECK_FALSE(found(std::string(5, '\xfe')));
  const auto bad = found(zeros_but(5, 3, "\xff"));
  REQUIRE(bad);
  CHECK(bad->first == 96);
  CHECK(bad->count == 32);
}

TEST_CASE("the largest finite value of a type is finite") {
  CHECK_FALSE(find("F32", zeros_but(4, 1, std::string("\xff\xff\x7f\x7f", 4))));
  CHECK_FALSE(find("F16", zeros_but(4, 1, std::string("\xff\x7b", 2))));
  CHECK_FALSE(find("BF16", zeros_but(4, 1, std::string("\x7f\x7f", 2))));
}

TEST_CASE("a scan on request names tensor, count, value and index; without it nothing is read") {
  std::vector<TensorText> tensors = small_tensors();
  tensor(tensors, "model.layers.1.mlp.gate_proj.weight").bytes = zeros_but(96, 5, std::string("\x00\x00\xc0\x7f", 4));
  CHECK(audit(small_llama(true), tensors, false).all().empty());
  const Diagnostic error = only(audit(small_llama(true), tensors, true));
  CHECK(error.rule == "checkpoint.not_finite");
  CHECK(contains(error.message, "model.layers.1.mlp.gate_proj.weight"));
  CHECK(contains(error.message, "NaN at index 5"));
}
