// The last step of `monomorph build`: the emitted project is configured, compiled and linked with CMake and the
// system's compiler, against the runtime that was installed with the generator.
#pragma once

#include <string>

namespace monomorph::generator {

/// The installation this generator runs from: the folder above bin/ (an installed prefix, or the build tree).
std::string installation_prefix();

/// Builds the emitted project in `directory`; the executable lands in it under `name`. Throws EnvironmentError with the
/// tool's own words where a tool is missing, and InternalError where emitted code does not compile.
void build_engine(const std::string& directory, const std::string& name);

}  // namespace monomorph::generator
