// What says which model weights are of: a config.json, or the metadata of a GGUF file as one.
#pragma once

#include <optional>
#include <string>

namespace monomorph {

struct WeightsConfig {
  std::string name;  ///< in messages
  std::string text;  ///< JSON
  bool gguf = false;
};

/// The metadata of the GGUF file that `weights` names or holds, else the config.json in the directory that it is or
/// lies in, with what sentence-transformers' files beside it say (sentence_transformers.hpp); nothing where there is
/// neither. Weights that cannot be opened are told of by whoever reads them. Throws Error(environment) where the
/// config.json cannot be read.
std::optional<WeightsConfig> find_config(const std::string& weights);

}  // namespace monomorph
