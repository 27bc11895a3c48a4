#include "runtime/formats/conversion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

#include "runtime/formats/half.hpp"
#include "runtime/formats/quantized.hpp"
#include "tests/support/quantized_blocks.hpp"

using namespace monomorph;
using namespace monomorph::tests;

namespace {

constexpr Dtype converted_types[] = {Dtype::f16, Dtype::bf16, Dtype::q8_0, Dtype::q4_0};

/// 512 blocks of 32, as make_converted.py makes them.
std::vector<float> values_of(const std::string& name) {
  std::vector<float> values(512 * 32);
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t z = splitmix64(seed);
    const auto block = static_cast<int>(i / 32);
    const float mantissa = static_cast<float>(static_cast<std::int64_t>(z >> 40) - (1 << 23));
    if (name == "uniform") {
      values[i] = std::ldexp(mantissa, -24);
    } else if (name == "wide") {
      values[i] = std::ldexp(mantissa, block % 76 - 84);
    } else {
      const std::uint64_t most = name == "halves_to_127" ? 127 : 8;
      values[i] = static_cast<float>(z % (4 * most + 1)) / 2 - static_cast<float>(most);
      if (i % 32 == 0) values[i] = static_cast<float>(most) * (block % 2 == 0 ? 1.0f : -1.0f);
    }
  }
  return values;
}

std::vector<std::byte> encoded(Dtype dtype, std::span<const float> values) {
  std::vector<std::byte> blocks(
      static_cast<std::size_t>(file_row_bytes(dtype, static_cast<std::int64_t>(values.size()))));
  CHECK(encode_blocks(dtype, values, blocks.data()) == -1);
  return blocks;
}

std::vector<float> round_trip(Dtype dtype, std::span<const float> values) {
  std::vector<float> decoded(values.size());
  decode_blocks(dtype, encoded(dtype, values).data(), decoded);
  return decoded;
}

/// What encode_blocks says of 96 small numbers, the one at 70 aside.
std::int64_t lost(Dtype dtype, float value) {
  std::vector<float> values(96, 0.5f);
  values[70] = value;
  std::vector<std::byte> blocks(values.size() * 4);
  return encode_blocks(dtype, values, blocks.data());
}

}  // namespace

TEST_CASE("numbers become what ggml's Python library makes of them, bit for bit") {
  std::ifstream expected(MONOMORPH_CONVERTED_HASHES);
  std::size_t lines = 0;
  std::string type, values;
  std::uint64_t hash = 0;
  for (; expected >> type >> values >> std::hex >> hash; ++lines) {
    CAPTURE(type);
    CAPTURE(values);
    const auto dtype = std::ranges::find(converted_types, type, [](Dtype each) { return row_of(each).header; });
    REQUIRE(dtype != std::end(converted_types));
    CHECK(hash_of(encoded(*dtype, values_of(values))) == hash);
  }
  CHECK(lines == std::size(converted_types) * 4);
}

TEST_CASE("a value that a type cannot hold is found, and the largest that it can is kept") {
  constexpr float infinite = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  struct Bounds {
    Dtype dtype;
    float largest, too_large;
  };
  // The scale is rounded to f16, which holds less than 65520.
  for (const Bounds& bounds :
       {Bounds{Dtype::f16, 65519.996f, 65520}, Bounds{Dtype::bf16, 0x1.feffp127f, 0x1.ffp127f},
        Bounds{Dtype::q8_0, 127 * 65519.0f, 127 * 65520.0f}, Bounds{Dtype::q4_0, 8 * 65519.0f, 8 * 65520.0f}}) {
    CAPTURE(name_of(bounds.dtype));
    for (const float sign : {1.0f, -1.0f}) {
      CHECK(lost(bounds.dtype, sign * bounds.largest) == -1);
      CHECK(lost(bounds.dtype, sign * bounds.too_large) == 70);
    }
  }
  for (const Dtype dtype : {Dtype::q8_0, Dtype::q4_0}) {
    for (const float value : {infinite, -infinite, nan}) CHECK(lost(dtype, value) == 70);
  }
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {  // they hold what the file holds
    CHECK(round_trip(dtype, std::vector{-infinite}).front() == -infinite);
    CHECK(std::isnan(round_trip(dtype, std::vector{nan}).front()));
  }
}

TEST_CASE("values whose scale has no inverse become zeros") {
  const float least = std::numeric_limits<float>::denorm_min();
  for (const Dtype dtype : {Dtype::q8_0, Dtype::q4_0}) {
    for (const float value : {0.0f, -0.0f, least, -200 * least, 1e-39f}) {
      std::vector<float> values(32, 0);
      values[3] = value;
      for (const float decoded : round_trip(dtype, values)) CHECK(decoded == 0);
    }
  }
}

TEST_CASE("conversions are told by type, with their matrices counted") {
  CHECK(describe_conversions({}).empty());
  CHECK(describe_conversions({{{Dtype::f32, Dtype::q8_0}, 14}, {{Dtype::bf16, Dtype::q8_0}, 1}}) ==
        "f32 to q8_0: 14 matrices, bf16 to q8_0: 1 matrix");
}
