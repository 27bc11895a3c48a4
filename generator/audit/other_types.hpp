// Tensors of other types than a spec says: of a few each is told, of many what they are in a sentence.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/contract/expected_tensors.hpp"
#include "runtime/formats/checkpoint.hpp"

namespace monomorph::generator {

/// Tensors of the checkpoint beside what was expected of each.
using Present = std::vector<std::pair<const CheckpointTensor*, const ExpectedTensor*>>;

bool has_other_type(const CheckpointTensor& tensor, const ExpectedTensor& expected);

/// The sentence, with what to set; empty where so few names differ that each is to be told.
std::string describe_other_types(const Present& present);

}  // namespace monomorph::generator
