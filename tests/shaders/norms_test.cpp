// Norms as kernels have them, on every driver at hand, against the formula in double: for rows of ordinary size, and
// for rows so small that eps is what counts, so that it must stand under the root.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"

using namespace monomorph::test;

namespace {

constexpr std::size_t columns = 67;  // the last vec4 is not full
constexpr std::size_t stride = 68;
constexpr double eps = 1e-6;

std::vector<float> row(double scale, double offset) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<float> result(stride, 1e30f);  // what lies past the last column is nobody's
  for (std::size_t i = 0; i < columns; ++i) result[i] = static_cast<float>(offset + scale * values(random));
  return result;
}

float weight(std::size_t i) { return 0.5f + 0.01f * static_cast<float>(i); }
float bias(std::size_t i) { return 0.25f - 0.02f * static_cast<float>(i); }

/// (x - mean) / sqrt(mean square + eps) * weight + bias; without a mean and a bias for an RMS norm.
std::vector<double> normed(const std::vector<float>& x, bool layer_norm) {
  double mean = 0, square = 0;
  for (std::size_t i = 0; layer_norm && i < columns; ++i) mean += x[i] / static_cast<double>(columns);
  for (std::size_t i = 0; i < columns; ++i) square += (x[i] - mean) * (x[i] - mean) / static_cast<double>(columns);
  std::vector<double> result;
  for (std::size_t i = 0; i < columns; ++i) {
    result.push_back((x[i] - mean) / std::sqrt(square + eps) * weight(i) + (layer_norm ? bias(i) : 0));
  }
  return result;
}

const std::string head = R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(constant_id = 0) const uint workgroup_size = 32;
layout(constant_id = 1) const uint subgroup_size = 32;
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Inputs { vec4 inputs[]; };
layout(binding = 1) readonly buffer Weights { vec4 weights[]; };
layout(binding = 2) readonly buffer Biases { vec4 biases[]; };
layout(binding = 3) writeonly buffer Outputs { float outputs[]; };
const float eps = 1e-6;
const uint columns = 67, column_quads = 17, head_dim = 67;
#include "workgroup.glsl"
)";

const std::string row_norm = R"(
vec4 raw_quad(uint token, uint quad) {
  return mix(vec4(0.0), inputs[quad], lessThan(quad * 4 + uvec4(0, 1, 2, 3), uvec4(columns)));
}
vec4 norm_weight_quad(uint quad) { return weights[quad]; }
vec4 norm_bias_quad(uint quad) { return biases[quad]; }
#include "normalize_KIND.glsl"
void main() {
  prepare_normalize(0);
  for (uint quad = gl_LocalInvocationIndex; quad < column_quads; quad += workgroup_size) {
    const vec4 values = normalize_quad(0, quad);
    for (uint i = 0; i < 4; ++i) outputs[4 * quad + i] = values[i];
  }
}
)";

const std::string head_norm = R"(
shared float head_values[head_dim];
float head_element(uint d) { return head_values[d]; }
#include "head_norm.glsl"
void main() {
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) head_values[d] = inputs[d / 4][d % 4];
  barrier();
  const float mean = MEAN, scale = head_scale(mean, eps);
  for (uint d = gl_LocalInvocationIndex; d < head_dim; d += workgroup_size) {
    outputs[d] = (head_values[d] - mean) * scale * weights[d / 4][d % 4] + BIAS;
  }
}
)";

void check_norm(const std::string& text, bool layer_norm) {
  const std::vector<std::uint32_t> spirv = compile_glsl(head + text);
  std::vector<float> weights(stride), biases(stride);
  for (std::size_t i = 0; i < stride; ++i) {
    weights[i] = weight(i);
    biases[i] = bias(i);
  }
  for (const auto& device : compute_devices()) {
    // From where eps is nothing to where it is all.
    for (const auto& [scale, offset] : {std::pair{3.0, 0.5}, {1e-3, 2e-4}, {1e-5, 0.0}, {0.0, 0.0}}) {
      for (const std::uint32_t workgroup_size : {device->subgroup_size, 32u, 128u}) {
        CAPTURE(device->name);
        CAPTURE(scale);
        CAPTURE(workgroup_size);
        const std::vector<float> x = row(scale, offset);
        ComputeKernel kernel(*device, spirv, {{0, workgroup_size}, {1, device->subgroup_size}},
                             std::vector<std::size_t>(4, stride * 4));
        kernel.write<float>(0, x);
        kernel.write<float>(1, weights);
        kernel.write<float>(2, biases);
        kernel.run(1);
        std::vector<float> got(stride);
        kernel.read<float>(3, got);
        const std::vector<double> want = normed(x, layer_norm);
        double worst = 0;
        for (std::size_t i = 0; i < columns; ++i) {
          const double error = std::abs(got[i] - want[i]) / (1e-7 + std::abs(want[i]));
          if (!(error <= worst)) worst = std::isnan(error) ? 1e300 : error;
        }
        CHECK(worst < 1e-5);
      }
    }
  }
}

std::string with(std::string text, const std::string& word, const std::string& meant) {
  return text.replace(text.find(word), word.size(), meant);
}

}  // namespace

TEST_CASE("the RMS norm of a row has eps under the root") { check_norm(with(row_norm, "KIND", "rms_norm"), false); }

TEST_CASE("the LayerNorm of a row has eps under the root") { check_norm(with(row_norm, "KIND", "layer_norm"), true); }

TEST_CASE("the norms of a head's queries or keys have eps under the root") {
  check_norm(with(with(head_norm, "MEAN", "0.0"), "BIAS", "0.0"), false);
  check_norm(with(with(head_norm, "MEAN", "head_mean()"), "BIAS", "biases[d / 4][d % 4]"), true);
}
