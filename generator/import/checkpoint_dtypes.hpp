// What the checkpoint's own header says: the type of its tensors, and where they stand when the architecture's usual
// names do not cover it. Reads headers only.
//
// A directory without weights takes config.json's dtype, and the spec says so. Weights that are no safetensors are an
// error with the remedy.
#pragma once

#include <string>

#include "generator/import/config_reader.hpp"

namespace monomorph::generator {

/// Fills dtype and dtypes. Throws EnvironmentError where the weights cannot be read.
void read_dtypes(ConfigReader& config, const std::string& directory, ModelDescription& model, Diagnostics& diagnostics);

}  // namespace monomorph::generator
