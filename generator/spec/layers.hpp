// From `[layers]` and the base sections to kinds of layer, each with every section resolved.
#pragma once

#include <cstddef>
#include <vector>

#include "generator/spec/document.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

struct Layers {
  bool has_pattern = false;
  std::vector<LayerKind> kinds;          ///< distinct, in order of first use
  std::vector<std::size_t> layer_kinds;  ///< for each layer
};

/// Whether this is a section that the spec itself names: that of a sub-block, whose type its key `block` says.
bool is_own_block(const TomlEntry& section);

/// The norm of one place: its own keys over those of a kind's section, and those over the base's. Keys of its own are
/// judged.
void read_norm_choice(const std::string& path, const TomlEntry* base, const TomlEntry* kind, Field<NormChoice>& place,
                      Diagnostics& diagnostics);

/// `model` gives the sizes that defaults are computed from. A model whose num_hidden_layers is out of range is read as
/// one of a single layer: the contract refuses it.
Layers read_layers(const TomlValue& root, const ModelSection& model, Diagnostics& diagnostics);

}  // namespace monomorph::generator
