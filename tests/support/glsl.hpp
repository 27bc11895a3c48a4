// GLSL to SPIR-V in process, for tests: takes a compute shader's text, which may include the files of shaders/ by name;
// gives SPIR-V for Vulkan 1.2. Throws std::runtime_error with glslang's messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace monomorph::test {

std::vector<std::uint32_t> compile_glsl(const std::string& source);

}  // namespace monomorph::test
