// The last step of `monomorph build`: the emitted project is configured, compiled and linked with CMake and the
// system's compiler, against the runtime that was installed with the generator.
#pragma once

#include <string>

namespace monomorph::generator {

/// The installation this generator runs from: the folder above bin/ (an installed prefix, or the build tree).
std::string installation_prefix();

/// Builds the emitted project in `directory`, in a folder of its own there; gives the path of the program that its
/// target `target` is. Throws EnvironmentError with the tool's own words where a tool is missing or fails, and
/// InternalError where the compiler refuses emitted code.
std::string build_engine(const std::string& directory, const std::string& target);

}  // namespace monomorph::generator
