// From `[layers]` and the base sections to kinds of layer, each with every section resolved.
#pragma once

#include <cstddef>
#include <vector>

#include "generator/spec/by_layer.hpp"
#include "generator/spec/document.hpp"
#include "generator/spec/spec.hpp"

namespace monomorph::generator {

struct Layers {
  Field<std::int64_t> repeat{1, {}, false};
  bool has_pattern = false;
  std::vector<LayerKind> kinds;          ///< distinct, in order of first use
  std::vector<std::size_t> layer_kinds;  ///< for each layer
  bool steps_are_known = true;           ///< each names a sub-block
};

/// `lists`: what was taken of `root`. `model` gives the sizes that defaults are computed from. A model whose
/// num_hidden_layers is out of range is read as one of a single layer: the contract refuses it.
Layers read_layers(const TomlValue& root, const std::vector<LayerList>& lists, const ModelSection& model,
                   Diagnostics& diagnostics);

/// The layers of [encoder]: `table`, whose sections are laid over those of `root`.
Layers read_encoder_layers(const TomlValue& root, const TomlEntry& table, const ModelSection& model,
                           Diagnostics& diagnostics);

}  // namespace monomorph::generator
