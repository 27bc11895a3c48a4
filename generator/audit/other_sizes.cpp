#include "generator/audit/other_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace monomorph::generator {
namespace {

constexpr std::size_t fewest_names = 3;

/// Layers that a checkpoint has of tensors with names that are expected of the model's own layers.
std::int64_t count_layers(const Present& present, const Checkpoint& checkpoint) {
  std::set<std::string> patterns;
  for (const auto& [tensor, expected] : present) {
    if (expected->stack == own_stack) patterns.insert(split_layer(tensor->name).pattern);
  }
  std::int64_t layers = 0;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const LayerName name = split_layer(tensor.name);
    if (patterns.contains(name.pattern)) layers = std::max(layers, name.layer + 1);
  }
  return layers;
}

/// Sizes that tensors have of each axis, and how many have each.
using Votes = std::map<AxisId, std::map<std::int64_t, std::size_t>>;

Votes count_sizes(const Present& present) {
  Votes votes;
  for (const auto& [tensor, expected] : present) {
    if (tensor->shape.size() != expected->shape.size()) continue;
    for (std::size_t d = 0; d < tensor->shape.size(); ++d) {
      if (expected->axes[d]) ++votes[expected->axes[d]][tensor->shape[d]];
    }
  }
  return votes;
}

}  // namespace

OtherSizes::OtherSizes(const Contract& contract, const Present& present, const Checkpoint& checkpoint)
    : contract_(contract), layers_(count_layers(present, checkpoint)) {
  for (const auto& [axis, sizes] : count_sizes(present)) {
    const auto most =
        std::max_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    sizes_[axis] = most->first;
    if (most->first != contract.axes[axis].size) other_.push_back(axis);
  }
  std::set<std::string> names;
  for (const auto& [tensor, expected] : present) {
    if (!expected->fits(tensor->shape) && has_shape(*tensor, *expected)) names.insert(expected->pattern);
  }
  found_ = names.size() >= fewest_names;
}

std::string OtherSizes::described() const {
  std::string text;
  if (layers_ != contract_.own().num_hidden_layers) {
    text = fmt::format("num_hidden_layers is {}, not {}", layers_, contract_.own().num_hidden_layers);
  }
  for (const AxisId id : other_) {
    const Axis& axis = contract_.axes[id];
    text += fmt::format("{}{} is {}, not {}", text.empty() ? "" : "; ", axis.name, sizes_.at(id), axis.size);
  }
  return text;
}

bool OtherSizes::has_shape(const CheckpointTensor& tensor, const ExpectedTensor& expected) const {
  if (tensor.shape.size() != expected.shape.size()) return false;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    const AxisId axis = expected.axes[d];
    if (tensor.shape[d] != (axis ? sizes_.at(axis) : expected.shape[d])) return false;
  }
  return true;
}

bool OtherSizes::explain(const CheckpointTensor& tensor, const ExpectedTensor& expected) const {
  return found_ && has_shape(tensor, expected);
}

bool OtherSizes::explain(std::int64_t layer) const {
  return found_ && layer >= std::min(layers_, contract_.own().num_hidden_layers);
}

}  // namespace monomorph::generator
