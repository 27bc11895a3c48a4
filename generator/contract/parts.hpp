// Where the spec's table says that a part of the model stands in the checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/spec/spec.hpp"

namespace monomorph::generator {

/// A part that the model has: a weight, a bias, or both; of parts that share a tensor, the line of that.
struct NeededPart {
  std::string part;  ///< "layers.{i}.attention.q"
  bool weight = true;
  bool bias = false;
};

/// The part whose bias this is, or the part itself.
std::string without_bias(const std::string& part);

/// The line of the tensor that holds this part beside others, such as layers.{i}.attention.qkv; null where it has one
/// of its own or none.
const std::pair<const std::string, TensorName>* fused_line(const CheckpointSection& checkpoint,
                                                           const std::string& part);

/// The checkpoint's full name (without the prefix) of the weight or bias of a part; nothing where the table has none.
std::optional<std::string> tensor_name(const CheckpointSection& checkpoint, const std::string& part, bool bias);

/// `name` with `text` in place of each `hole`.
std::string filled(std::string name, std::string_view hole, std::string_view text);
/// Whether a tensor's name tells each layer apart from all others, by "{i}" or its number in its kind, "{k}".
bool is_of_each_layer(const std::string& name);
/// Whether it names sets of weights: by "{s}" or "{k}".
bool is_of_sets(const std::string& name);
/// The name with "{i}" in place of whatever stands for a number in it.
std::string with_any_number(const std::string& name);
/// `name` with `number` in place of each "{j}", which counts the tensors of one part: those of its heads or experts.
std::string with_number(const std::string& name, const std::string& number);

/// What says the dtype of a part's tensor in a layer (-1: of the model): the last pattern that matches, or the
/// checkpoint's.
const Field<std::string>& dtype_field(const CheckpointSection& checkpoint, const std::string& part, bool bias,
                                      std::int64_t layer);

/// A pattern of checkpoint.dtypes: "layers.{0-3,10}.attention.v" is that of parts, "layers.{i}.attention.v", in some
/// layers, and "encoder.layers.{2}.attention.v" of the encoder's.
struct DtypePattern {
  std::string parts;
  std::vector<std::pair<std::int64_t, std::int64_t>> layers;  ///< first and last of each range; empty: all of them
  std::size_t stack = own_stack;                              ///< whose layers they are

  bool holds(std::int64_t layer) const;
};
DtypePattern parse_dtype_pattern(const std::string& pattern);
/// As a pattern has them: "0-3,10".
std::string layer_ranges(std::vector<std::int64_t> layers);

/// Whether `pattern`, in which * stands for anything, is `text`.
bool matches(const std::string& pattern, const std::string& text);

}  // namespace monomorph::generator
