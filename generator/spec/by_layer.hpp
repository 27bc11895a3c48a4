// Numbers that are lists, an entry a layer: heads that grow with the depth (OpenELM), widths that differ (Gemma 3n),
// bases of angles. What a list says of each layer becomes a key of the layer's kind, and layers that it tells apart
// become kinds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generator/spec/document.hpp"
#include "generator/spec/fields.hpp"

namespace monomorph::generator {

/// A list in a base section.
struct LayerList {
  std::string section, key;
  Span key_span;
  std::vector<TomlValue> values;  ///< a number a layer
};

/// Whether a field may say a list with an entry for each layer: those of numbers.
bool may_be_by_layer(const Slot& slot);

/// Takes the lists out of the base sections, where the first layer's entry stays. One of another length is an error.
std::vector<LayerList> take_lists(TomlValue& root, Diagnostics& diagnostics);

/// Layers that were of one kind, told apart by the lists.
struct CutKinds {
  std::vector<std::string> sequence;            ///< the kind of each layer: "wide", or "wide_1", "wide_2" ...
  std::map<std::string, std::string> cut_from;  ///< by kind, the one that the pattern names
  std::map<std::string, std::size_t> layer;     ///< by kind, the first layer of it
};
/// `sequence`: the kind of each layer as the pattern has it.
CutKinds cut_kinds(const std::vector<std::string>& sequence, const std::vector<LayerList>& lists);

/// A kind's table with what the lists say of this layer in the sections that `reads` names; what the table says itself
/// stays.
TomlValue lay_lists(TomlValue table, const std::vector<LayerList>& lists, std::size_t layer,
                    const std::vector<std::string>& reads);

}  // namespace monomorph::generator
