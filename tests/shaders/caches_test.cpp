// How kernels write and read caches: shaders/cache_*.glsl and quantize_q8_0.glsl, against their twins in C++.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "runtime/formats/conversion.hpp"
#include "runtime/formats/half.hpp"
#include "runtime/formats/quantized.hpp"
#include "runtime/program/tensor.hpp"
#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"

using namespace monomorph;
using namespace monomorph::test;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t patterns = 65536;

bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

/// What a kernel on this device makes of `in`: `count` words, one an invocation, which is i.
Words computed(const ComputeDevice& device, const std::string& functions, const std::string& word, const Words& in,
               std::size_t count) {
  const std::string text = fmt::format(R"(#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Inputs {{ uint inputs[]; }};
layout(binding = 1) writeonly buffer Results {{ uint results[]; }};
{}
void main() {{
  const uint i = gl_GlobalInvocationID.x;
  if (i < {}) results[i] = {};
}}
)",
                                       functions, count, word);
  ComputeKernel kernel(device, compile_glsl(text), {}, {4 * in.size(), 4 * count});
  kernel.write<std::uint32_t>(0, in);
  kernel.run(static_cast<std::uint32_t>(count / 64 + 1));
  Words results(count);
  kernel.read<std::uint32_t>(1, results);
  return results;
}

/// Writes floats to a cache of a type without blocks, and reads them: every device gives what is expected, by its bits.
void check_round_trip(const std::string& type, const Words& values, const Words& expected) {
  const std::string unused = type == "f32" ? "uvec4(packed, 0, 0)" : "uvec2(packed, 0)";
  const std::string functions = fmt::format(R"(#include "cache_{0}.glsl"
uint round_trip(uint i) {{
  const uint pair = i / 2 * 2;
  const {2} packed = pack_{0}_pair(uintBitsToFloat(uvec2(inputs[pair], inputs[pair + 1])));
  return floatBitsToUint(unpack_{0}_quad({1})[i % 2]);
}})",
                                            type, unused, type == "f32" ? "uvec2" : "uint");
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    const Words results = computed(*device, functions, "round_trip(i)", values, values.size());
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool same = is_nan(expected[i]) ? is_nan(results[i]) : results[i] == expected[i];
      if (!same && wrong++ == 0) first = i;
    }
    INFO("first wrong: ", values[first], " became ", results[first], " in place of ", expected[first]);
    CHECK(wrong == 0);
  }
}

constexpr std::size_t columns_of_rows[] = {32, 64, 96};

/// Rows of q8_0 as kernels make them of `values`.
Words quantized_rows(const ComputeDevice& device, const std::vector<float>& values, std::size_t columns) {
  const auto row_words = static_cast<std::size_t>(state_row_bytes(Dtype::q8_0, static_cast<std::int64_t>(columns)) / 4);
  Words bits(values.size());
  std::memcpy(bits.data(), values.data(), 4 * values.size());
  const std::string functions = fmt::format(R"(const uint head_dim = {};
uint row;
float kept_value(uint d) {{ return uintBitsToFloat(inputs[row * head_dim + d]); }}
#include "quantize_q8_0.glsl"
uint word_of(uint i) {{
  row = i / {};
  return q8_0_word(i % {});
}})",
                                            columns, row_words, row_words);
  return computed(device, functions, "word_of(i)", bits, values.size() / columns * row_words);
}

/// The elements of such rows, as kernels read them.
std::vector<float> read_rows(const ComputeDevice& device, const Words& rows, std::size_t columns) {
  const auto row_words = static_cast<std::size_t>(state_row_bytes(Dtype::q8_0, static_cast<std::int64_t>(columns)) / 4);
  const std::string functions = fmt::format(R"(#include "cache_q8_0.glsl"
uint element(uint i) {{
  const uint first = i / {0} * {1}, quad = i % {0} / 4;
  return floatBitsToUint(unpack_q8_0_quad(inputs[first + quad], inputs[first + {0} / 4 + quad / 16], quad)[i % 4]);
}})",
                                            columns, row_words);
  const Words bits = computed(device, functions, "element(i)", rows, rows.size() / row_words * columns);
  std::vector<float> elements(bits.size());
  std::memcpy(elements.data(), bits.data(), 4 * bits.size());
  return elements;
}

/// Blocks of all that a scale may be: none, small ones, for which an f16 is subnormal or zero, ordinary, large.
std::vector<float> blocks_of_all_sizes() {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<float> values;
  const auto block = [&](auto&& element) {
    for (int i = 0; i < 32; ++i) values.push_back(element(i));
  };
  block([](int) { return 0.0f; });
  block([](int) { return -0.0f; });
  for (const float size : {1e-42f, 1e-38f, 1e-10f, 1e-6f, 4e-6f, 1e-5f, 1e-4f, 1e-3f, 0.1f, 1.0f, 30.0f, 1e5f, 2e6f}) {
    for (int times = 0; times < 8; ++times) block([&](int) { return size * normal(random); });
  }
  for (const float sign : {1.0f, -1.0f}) {
    block([&](int i) { return sign * (1.0f + static_cast<float>(i)); });                   // of one sign
    block([&](int i) { return i == 7 ? sign * 127.0f : static_cast<float>(i) - 15.5f; });  // halves, with a step of 1
    block([&](int i) { return i == 31 ? sign * 127.0f : std::nextafter(static_cast<float>(i % 8) - 3.5f, 0.0f); });
    block([&](int i) { return i == 0 ? sign * 65504.0f * 127.0f : normal(random) * 1e6f; });  // the largest scale
    block([&](int i) { return i == 3 ? sign : 0.0f; });
    block([&](int i) { return i % 2 == 0 ? sign * 3.0f : -sign * 3.0f; });
  }
  while (values.size() % (64 * 96) != 0) values.push_back(normal(random));  // rows of each width, whole
  return values;
}

}  // namespace

TEST_CASE("the f32 cache keeps every bit") {
  Words values;
  for (std::uint32_t i = 0; i < patterns; ++i) values.push_back(i << 16 | (i * 40503u & 0xffffu));
  check_round_trip("f32", values, values);
}

TEST_CASE("the f16 cache keeps every f16, clamps what is beyond its range, and keeps what is no number") {
  Words values, expected;
  const auto add = [&](float value, float want) {
    values.push_back(std::bit_cast<std::uint32_t>(value));
    expected.push_back(std::bit_cast<std::uint32_t>(want));
  };
  for (std::uint32_t i = 0; i < patterns; ++i) {
    const float value = f32_from_f16(static_cast<std::uint16_t>(i));
    if (std::isfinite(value)) add(value, value);
  }
  for (const float large : {65505.0f, 65519.9f, 65520.0f, 70000.0f, 1e30f}) {
    add(large, 65504.0f);
    add(-large, -65504.0f);
  }
  for (const float none : {INFINITY, -INFINITY, std::nanf(""), std::nanf("")}) add(none, std::nanf(""));
  check_round_trip("f16", values, expected);
}

TEST_CASE("the bf16 cache rounds to nearest, ties to even, and keeps infinities and what is no number") {
  Words values, expected;
  for (std::uint32_t upper = 0; upper < patterns; ++upper) {
    for (const std::uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      values.push_back(upper << 16 | lower);
      const std::uint16_t kept = bf16_from_f32(std::bit_cast<float>(values.back()));
      expected.push_back(static_cast<std::uint32_t>(kept) << 16);
    }
  }
  check_round_trip("bf16", values, expected);
}

TEST_CASE("the q8_0 cache has the blocks of ggml, bit for bit, and reads what they hold") {
  const std::vector<float> values = blocks_of_all_sizes();
  std::vector<std::byte> blocks(values.size() / 32 * 34);
  REQUIRE(encode_blocks(Dtype::q8_0, values, blocks.data()) == -1);
  std::vector<float> held(values.size());
  decode_blocks(Dtype::q8_0, blocks.data(), held);
  for (const std::size_t columns : columns_of_rows) {
    CAPTURE(columns);
    const auto whole = static_cast<std::int64_t>(columns);
    const auto padded = static_cast<std::size_t>(row_bytes(Dtype::q8_0, whole)),
               kept = static_cast<std::size_t>(state_row_bytes(Dtype::q8_0, whole));
    Words expected(values.size() / columns * kept / 4);
    std::vector<std::byte> row(padded);
    for (std::size_t r = 0; r < values.size() / columns; ++r) {
      cut_into_planes(Dtype::q8_0, blocks.data() + r * columns / 32 * 34, whole, row);
      std::memcpy(expected.data() + r * kept / 4, row.data(), kept);
    }
    for (const auto& device : compute_devices()) {
      CAPTURE(device->name);
      const Words rows = quantized_rows(*device, values, columns);
      // Codes of a block whose scale is zero as f16 are of no matter.
      const auto matters = [&](std::size_t word) {
        const std::size_t in_row = word % (kept / 4), block = word / (kept / 4) * columns / 32 + in_row / 8;
        const auto zero = [](float element) { return element == 0; };
        return in_row >= columns / 4 || !std::all_of(&held[32 * block], &held[32 * block] + 32, zero);
      };
      std::size_t wrong = 0;
      for (std::size_t word = 0; word < rows.size(); ++word) {
        if (rows[word] != expected[word] && matters(word)) ++wrong;
      }
      CHECK(wrong == 0);
      const std::vector<float> results = read_rows(*device, rows, columns);
      std::size_t first = 0, count = 0;
      for (std::size_t i = 0; i < held.size(); ++i) {
        if (results[i] != held[i] && count++ == 0) first = i;
      }
      INFO("first wrong: ", values[first], " became ", results[first], " in place of ", held[first]);
      CHECK(count == 0);
    }
  }
}

TEST_CASE("an element of a q8_0 cache is off by half a step and the rounding of its scale") {
  const std::vector<float> values = blocks_of_all_sizes();
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    const std::vector<float> results = read_rows(*device, quantized_rows(*device, values, 64), 64);
    double worst = 0;
    for (std::size_t first = 0; first < values.size(); first += 32) {
      double largest = 0;
      for (std::size_t i = first; i < first + 32; ++i) largest = std::max(largest, std::abs(double{values[i]}));
      // 2^-11 of a scale that is a normal f16, and 2^-25 of a smaller one, 127 times at most.
      const double bound = largest / 254 + std::max(largest * 0x1p-11, 127 * 0x1p-25);
      for (std::size_t i = first; i < first + 32; ++i) {
        worst = std::max(worst, std::abs(double{results[i]} - double{values[i]}) / bound);
      }
    }
    CHECK(worst <= 1.0001);
    CHECK(worst > 0.8);  // the bound is met, nearly
  }
}

TEST_CASE("a q8_0 block with what is no finite number is none, and its neighbours are; what is too large is clamped") {
  constexpr float steps = 127, largest = 65504.0f * steps;
  std::vector<float> values(6 * 64, 2.0f);
  const float none[] = {INFINITY, -INFINITY, std::nanf("")};
  for (std::size_t row = 0; row < 3; ++row) values[64 * row + 32 * (row % 2) + 5] = none[row];
  values[3 * 64] = 1e30f;
  values[3 * 64 + 1] = -1e9f;
  values[4 * 64] = 2 * largest;
  values[4 * 64 + 1] = largest / 2;
  values[5 * 64 + 63] = std::bit_cast<float>(0xffc00001u);
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    const std::vector<float> results = read_rows(*device, quantized_rows(*device, values, 64), 64);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / 64, block = i / 32;
      const bool spoilt = (row < 3 && block % 2 == row % 2) || block == 11;
      CAPTURE(i);
      if (spoilt) {
        CHECK(std::isnan(results[i]));
      } else if (row != 3 && row != 4) {
        CHECK(results[i] == doctest::Approx(values[i]).epsilon(1e-3));
      }
    }
    CHECK(results[3 * 64] == largest);
    CHECK(results[3 * 64 + 1] == -largest);
    CHECK(results[3 * 64 + 2] == 0);
    CHECK(results[4 * 64] == largest);
    CHECK(results[4 * 64 + 1] == doctest::Approx(largest / 2).epsilon(0.01));
  }
}
