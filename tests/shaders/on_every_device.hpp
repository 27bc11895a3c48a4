// An expression of shaders/numerics.glsl's functions, computed on every driver at hand.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/compute.hpp"
#include "tests/support/glsl.hpp"

namespace monomorph::test {

/// What each device gives for `expression` of x.
inline void on_every_device(const std::string& expression, const std::vector<float>& x,
                            const std::function<void(const std::vector<float>&)>& judge) {
  const std::vector<std::uint32_t> spirv = compile_glsl(R"(#version 450
layout(local_size_x = 64) in;
#include "numerics.glsl"
layout(binding = 0) readonly buffer Arguments { float arguments[]; };
layout(binding = 1) writeonly buffer Results { float results[]; };
void main() {
  if (gl_GlobalInvocationID.x >= arguments.length()) return;
  const float x = arguments[gl_GlobalInvocationID.x];
  results[gl_GlobalInvocationID.x] = )" + expression + ";\n}\n");
  for (const auto& device : compute_devices()) {
    CAPTURE(device->name);
    ComputeKernel kernel(*device, spirv, {}, {x.size() * 4, x.size() * 4});
    kernel.write<float>(0, x);
    kernel.run(static_cast<std::uint32_t>((x.size() + 63) / 64));
    std::vector<float> results(x.size());
    kernel.read<float>(1, results);
    judge(results);
  }
}

}  // namespace monomorph::test
