// How kernels read weights: shaders/format_*.glsl, over every bit pattern there is.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/formats/quantized.hpp"
#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"
#include "tests/support/quantized_blocks.hpp"

using namespace monomorph;
using namespace monomorph::test;
using namespace monomorph::tests;

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

/// Rows of weights as a device stores them, through shaders/format_<dtype>.glsl, every unit by another lane.
std::vector<float> decode_rows(const ComputeDevice& device, Dtype dtype, std::int64_t columns,
                               std::span<const std::byte> rows) {
  const std::int64_t row = row_bytes(dtype, columns), units = columns / row_of(dtype).unit_elements;
  const auto words = [&](Plane plane) { return plane_offset(dtype, columns, plane) / 4; };
  const std::string text =
      fmt::format(R"(#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Weights {{ uvec4 weights[]; }};
layout(binding = 0) readonly buffer WeightsWords {{ uint weights_words[]; }};
layout(binding = 1) writeonly buffer Results {{ vec4 results[]; }};
const uint row_quads = {}, row_units = {}, high_plane = {}, scale_plane = {}, block_plane = {};
uvec4 weight_quad(uint matrix, uint row, uint quad) {{ return weights[row * row_quads + quad]; }}
uint weight_word(uint matrix, uint row, uint word) {{ return weights_words[4 * row * row_quads + word]; }}
#include "format_{}.glsl"
void main() {{
  const uint i = gl_GlobalInvocationID.x;
  if (i * unit_quads >= results.length()) return;
  const Unit unit = read_unit(0, i / row_units, i % row_units);
  [[unroll]] for (uint quad = 0; quad < unit_quads; ++quad) results[i * unit_quads + quad] = unit_quad(unit, quad);
}}
)",
                  row / 16, units, words(Plane::high), words(Plane::scale), words(Plane::block), name_of(dtype));
  const std::size_t elements = rows.size() / static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  ComputeKernel kernel(device, compile_glsl(text), {}, {rows.size(), 4 * elements});
  kernel.write<std::byte>(0, rows);
  kernel.run(static_cast<std::uint32_t>(elements / static_cast<std::size_t>(row_of(dtype).unit_elements) / 64 + 1));
  std::vector<float> results(elements);
  kernel.read<float>(1, results);
  return results;
}

void check_patterns(Dtype dtype, float (*value)(std::uint32_t)) {
  std::vector<std::uint16_t> all(patterns);
  for (std::size_t i = 0; i < patterns; ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    const std::vector<float> results = decode_rows(*device, dtype, 256, std::as_bytes(std::span(all)));
    std::size_t wrong = 0, first_wrong = patterns;
    for (std::uint32_t i = 0; i < patterns; ++i) {
      const float want = value(i), got = results[i];
      const bool same =
          std::isnan(want) ? std::isnan(got) : std::bit_cast<std::uint32_t>(want) == std::bit_cast<std::uint32_t>(got);
      if (!same && wrong++ == 0) first_wrong = i;
    }
    INFO("first wrong pattern: ", first_wrong);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("every f16 is decoded exactly, subnormal ones too") { check_patterns(Dtype::f16, half_value); }

TEST_CASE("every bf16 is decoded exactly") { check_patterns(Dtype::bf16, bfloat_value); }

TEST_CASE("quantized weights are decoded from their planes as from their blocks") {
  for (const Dtype dtype : quantized_types) {
    CAPTURE(name_of(dtype));
    const std::int64_t columns = 3 * 256, rows = 40;
    const auto blocks_of_row = static_cast<std::size_t>(columns / row_of(dtype).block_elements);
    const auto bytes_of_row = blocks_of_row * static_cast<std::size_t>(row_of(dtype).block_bytes);
    const auto stored_row = static_cast<std::size_t>(row_bytes(dtype, columns));
    for (const BlockScales& scales : block_scales) {
      // Scales so small or so large that a device may take them for zero or for infinity.
      if (dtype == Dtype::mxfp4 && !scales.any) continue;
      CAPTURE(scales.name);
      const std::vector<std::byte> blocks = random_blocks(dtype, scales, rows * blocks_of_row, 7);
      std::vector<std::byte> stored(rows * stored_row);
      for (std::size_t r = 0; r < rows; ++r) {
        cut_into_planes(dtype, blocks.data() + r * bytes_of_row, columns,
                        std::span(stored).subspan(r * stored_row, stored_row));
      }
      std::vector<float> expected(static_cast<std::size_t>(rows * columns));
      decode_blocks(dtype, blocks.data(), expected);
      for (const auto& device : compute_devices()) {
        CAPTURE(device->name);
        const std::vector<float> results = decode_rows(*device, dtype, columns, stored);
        std::size_t wrong = 0, first_wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const bool normal = std::abs(expected[i]) >= 0x1p-120f && std::abs(expected[i]) < 0x1p127f;
          if (normal && results[i] != expected[i] && wrong++ == 0) first_wrong = i;
        }
        INFO("first wrong: ", first_wrong, ", ", results[first_wrong], " instead of ", expected[first_wrong]);
        CHECK(wrong == 0);
      }
    }
  }
}
