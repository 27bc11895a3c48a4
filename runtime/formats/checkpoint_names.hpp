// What tensors are called in a checkpoint: names with holes for what tells layers apart, behind one of a few prefixes.
// The generator's audit and the engine's loader read names by this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/formats/checkpoint.hpp"

namespace monomorph {

/// What stands in a name's holes. Of kinds whose layers have sets of weights in turn (layers.weight_sets) there are
/// three.
struct LayerPlace {
  std::int64_t layer = -1;   ///< "{i}"
  std::int64_t number = -1;  ///< "{k}": the layer's among those of its kind
  std::int64_t set = -1;     ///< "{s}": the first layer that has the same set
};

/// `pattern` with every hole filled.
std::string with_layer(std::string_view pattern, const LayerPlace& place);

/// What a tensor is called in a checkpoint of this prefix. The dense layers that a modules.json names stand outside the
/// model: theirs have none.
std::string prefixed(const std::string& prefix, const std::string& name);

/// The name that `prefixed` makes this of; nothing where none has it.
std::optional<std::string> without_prefix(const std::string& prefix, const std::string& name);

/// Whether `name` is `pattern` with a number in place of each "{i}", and anything in place of a "*" at its end.
bool is_named(std::string_view name, std::string_view pattern);

/// The prefix under which most of `names` stand in the checkpoint; the first of equals, "" where there are none.
std::string choose_prefix(std::span<const std::string> prefixes, std::span<const std::string> names,
                          const Checkpoint& checkpoint);

/// Whether two shapes are the same but for axes of one element, which change no element's place: a vector may stand as
/// a row or a column, a number without an axis, and numbers of each channel as a Conv1d has them.
bool same_but_for_ones(std::vector<std::int64_t> a, std::vector<std::int64_t> b);

/// The same bytes, read the same way.
bool same_tensor(const CheckpointTensor& a, const CheckpointTensor& b);

}  // namespace monomorph
