// What a config.json says of a model, against what an engine computes. Both are judged here alone: beside the weights
// of an engine, and for the generator's `check --weights`.
//
// Facts are a JSON text, which the generator writes: a list of families of the hub, and of each
//
//   architectures, model_type   the names by which config.json says that it is one
//   keys      name: what is taken where config.json does not say, then the other places of the key
//   facts     [field of the spec, expression, values that mean what the engine computes, layers, where not all of them]
//   only      place of a key: the values that run
//   refused   [condition, text, expression, text ...]: what no value of a field shows, and the message with what it
//   shows
//
// An expression is a constant, "a key", "'a word", "i" (the layer), or a list: an operator and what it takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace monomorph {

struct ConfigDifference {
  std::string path;     ///< of a key that config.json says, "rope_parameters.rope_theta"; "": it says none of them
  std::string message;  ///< the keys, and both values
};

struct ConfigComparison {
  std::string architecture;  ///< that config.json names, or its model_type; "": neither
  bool compared = false;     ///< it is one of the families
  std::vector<ConfigDifference> differences;
};

/// The config.json in the directory that `weights` is or lies in; "" where there is none.
std::string config_beside(const std::string& weights);

/// What goes unseen where a config.json is not compared, for messages.
inline constexpr const char* config_decides =
    "bases and scalings of rotary angles, epsilons, activations, head counts, windows, scales, soft caps, tied heads";

/// The config.json at `path`. `model` is how messages call what has `layers` layers and these facts. Throws
/// Error(rejected) where the file is no JSON object, Error(environment) where it cannot be read.
ConfigComparison compare_config(const std::string& path, const std::string& facts, std::int64_t layers,
                                const std::string& model);

}  // namespace monomorph
