// GLSL to SPIR-V, in process: glslang, then SPIRV-Tools to optimise and to validate. What fails here was emitted
// wrongly: an InternalError with glslang's words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/emit/emit.hpp"

namespace monomorph::generator {

struct CompiledKernel {
  std::vector<std::uint32_t> named;      ///< optimised, with the names of structs and members: for reflection
  std::vector<std::uint32_t> optimized;  ///< what ships: without names
};

/// Compiles kernels/<name>.comp; includes are looked up in `files` beside it. Vulkan 1.2, SPIR-V 1.5.
CompiledKernel compile_kernel(const std::string& name, const EmittedFiles& files);

/// Every kernel of `files`, by name, several at a time.
std::map<std::string, CompiledKernel> compile_spirv(const EmittedFiles& files);

}  // namespace monomorph::generator
