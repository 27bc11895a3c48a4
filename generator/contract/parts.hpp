// Parts of the model that have a tensor in the checkpoint, and where the spec's table says each one stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/contract/contract.hpp"

namespace monomorph::generator {

/// A part that the model has: always a weight, and perhaps a bias.
struct NeededPart {
  std::string part;  ///< "layers.{i}.attention.q"
  bool weight = true;
  bool bias = false;
};

/// Every part of the model, in the order of the forward pass; of parts that share a tensor, the line of that.
std::vector<NeededPart> needed_parts(const Spec& spec);

/// The line of the tensor that holds this part beside others, such as layers.{i}.attention.qkv; null where it has one
/// of its own or none.
const std::pair<const std::string, TensorName>* fused_line(const CheckpointSection& checkpoint,
                                                           const std::string& part);

/// The checkpoint's full name (without the prefix) of the weight or bias of a part; nothing where the table has none.
std::optional<std::string> tensor_name(const CheckpointSection& checkpoint, const std::string& part, bool bias);

/// The dtype of a part's tensor: the last pattern that matches, or the checkpoint's.
std::string dtype_name(const CheckpointSection& checkpoint, const std::string& part, bool bias);

/// Whether `pattern`, in which * stands for anything, is `text`.
bool matches(const std::string& pattern, const std::string& text);

}  // namespace monomorph::generator
