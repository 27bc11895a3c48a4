// What a config.json or a GGUF file's metadata say of a model, against what an engine computes. Both are judged here
// alone: beside the weights of an engine, and for the generator's `check --weights`.
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

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/formats/weights_config.hpp"

namespace monomorph {

struct ConfigDifference {
  std::string path;     ///< of a key that config.json says, "rope_parameters.rope_theta"; "": it says none of them
  std::string message;  ///< the keys, and both values
};

struct ConfigComparison {
  std::string architecture;  ///< that the config names, or its model_type; "": neither
  bool compared = false;     ///< it is one of the families
  std::vector<ConfigDifference> differences;
};

/// A config.json that is larger is none.
inline constexpr std::size_t most_config_bytes = 256 << 10;

/// What goes unseen where a config.json is not compared, for messages.
inline constexpr const char* config_decides =
    "bases and scalings of rotary angles, epsilons, activations, head counts, windows, scales, soft caps, tied heads";

/// `model` is how messages call what has `layers` layers and these facts. Throws Error(rejected) where the text is no
/// JSON object.
ConfigComparison compare_config(const WeightsConfig& config, const std::string& facts, std::int64_t layers,
                                const std::string& model);

}  // namespace monomorph
