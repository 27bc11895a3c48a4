// What to do about an architecture that no family reads: the family that is nearest to it, and what differs.
//
// A family is near by the keys that it shares with the config, at the top or in an object that holds a decoder's
// config, and by the names that it has for the checkpoint's tensors, where there are any.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/import/family.hpp"

namespace monomorph::generator {

/// The names of the tensors in a directory's model.safetensors.index.json or model.safetensors; none where neither is
/// there or can be read.
std::vector<std::string> safetensors_names(const std::string& directory);

/// Adds notes to the refusal of a config. `families`: among which the nearest is looked for. `type`: what the config
/// calls its model, "" where it does not.
void add_remedies(Diagnostic& refusal, const Json& config, const std::vector<std::string>& tensors,
                  const std::map<std::string, Family>& families, const std::string& type);

}  // namespace monomorph::generator
