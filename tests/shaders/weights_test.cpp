// How kernels read weights and write a cache, over every bit pattern there is: shaders/block_*.glsl and cache_f16.glsl.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"

using namespace monomorph::test;

namespace {

constexpr std::size_t patterns = 65536;

/// IEEE 754 binary16, computed from its fields.
float half_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<float>(bits & 1023);
  const float sign = (bits >> 15) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024.0f + fraction, exponent - 25);
}

float bfloat_value(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

/// The 65,536 patterns in words, through `block_file`'s decode_block, as the bits of floats.
std::vector<std::uint32_t> decode_all(const ComputeDevice& device, const std::string& block_file) {
  ComputeKernel kernel(device, compile_glsl(R"(#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
#include ")" + block_file + R"("
layout(binding = 0) readonly buffer Words { uvec4 words[]; };
layout(binding = 1) writeonly buffer Results { uvec4 results[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  const Block block = decode_block(words[i]);
  results[2 * i] = floatBitsToUint(block_quad(block, 0));
  results[2 * i + 1] = floatBitsToUint(block_quad(block, 1));
}
)"),
                       {}, {patterns * 2, patterns * 4});
  std::vector<std::uint16_t> all(patterns);
  for (std::size_t i = 0; i < patterns; ++i) all[i] = static_cast<std::uint16_t>(i);
  kernel.write<std::uint16_t>(0, all);
  kernel.run(patterns / 8 / 64);
  std::vector<std::uint32_t> results(patterns);
  kernel.read<std::uint32_t>(1, results);
  return results;
}

void check_patterns(const std::string& block_file, float (*value)(std::uint32_t)) {
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    const std::vector<std::uint32_t> results = decode_all(*device, block_file);
    std::size_t wrong = 0, first_wrong = patterns;
    for (std::uint32_t i = 0; i < patterns; ++i) {
      const float want = value(i), got = std::bit_cast<float>(results[i]);
      const bool same = std::isnan(want) ? std::isnan(got) : std::bit_cast<std::uint32_t>(want) == results[i];
      if (!same && wrong++ == 0) first_wrong = i;
    }
    INFO("first wrong pattern: ", first_wrong);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("every f16 is decoded exactly, subnormal ones too") { check_patterns("block_f16.glsl", half_value); }

TEST_CASE("every bf16 is decoded exactly") { check_patterns("block_bf16.glsl", bfloat_value); }

TEST_CASE("the f16 cache keeps every f16 and clamps what is beyond its range") {
  std::vector<float> values;
  std::vector<float> expected;
  for (std::uint32_t i = 0; i < patterns; ++i) {
    const float value = half_value(i);
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    expected.push_back(value);
  }
  for (const float large : {65505.0f, 65519.9f, 65520.0f, 70000.0f, 1e30f, INFINITY}) {
    for (const float sign : {1.0f, -1.0f}) {
      values.push_back(sign * large);
      expected.push_back(sign * 65504.0f);
    }
  }
  if (values.size() % 2 != 0) {
    values.push_back(0);
    expected.push_back(0);
  }
  const std::vector<std::uint32_t> spirv = compile_glsl(R"(#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
#include "cache_f16.glsl"
layout(binding = 0) readonly buffer Values { vec2 values[]; };
layout(binding = 1) writeonly buffer Results { vec2 results[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < values.length()) results[i] = unpack_quad(uvec2(pack_pair(values[i]), 0)).xy;
}
)");
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    ComputeKernel kernel(*device, spirv, {}, {values.size() * 4, values.size() * 4});
    kernel.write<float>(0, values);
    kernel.run(static_cast<std::uint32_t>(values.size() / 2 / 64 + 1));
    std::vector<float> results(values.size());
    kernel.read<float>(1, results);
    std::size_t wrong = 0, first_wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (results[i] != expected[i] && wrong++ == 0) first_wrong = i;
    }
    INFO("first wrong value: ", values[first_wrong], " became ", results[first_wrong]);
    CHECK(wrong == 0);
  }
}
