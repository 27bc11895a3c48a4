// Writing an emitted directory: all of it or nothing of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/compile/spirv.hpp"
#include "generator/emit/emit.hpp"

namespace monomorph::generator {

/// Writes `files` (and kernels/<name>.spv where given) under `directory`. They are written beside it first and moved in
/// when all are there; files of an earlier emission that are no longer emitted are removed, files of the user's are kept,
/// and files whose bytes would not change are left alone. Throws EnvironmentError naming the file; nothing is then changed.
void write_emitted(const std::string& directory, const EmittedFiles& files,
                   const std::map<std::string, CompiledKernel>& kernels);

}  // namespace monomorph::generator
