// A layer: its steps one after the other, each of one or several sub-blocks with the norms around them.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

/// The rules on where norms stand, and those of every sub-block.
void check_layer(const Spec& spec, const LayerKind& kind, Diagnostics& diagnostics);
/// Everything that the layers of this kind have, in the order of the forward pass.
void declare_layer(const ModelSection& model, const LayerKind& kind, std::size_t index, Declarations& declare);
/// What functions of the graph call that which the embedding gives, where layers read it beside the stream.
inline constexpr const char* embeddings_role = "embeddings";
/// Whether some sub-block of the layer does.
bool reads_embedding(const LayerKind& kind);
/// The residual stream after the layer.
Id<Value> build_layer(const ModelSection& model, const LayerKind& kind, Builder& build, Id<Value> hidden_states);

}  // namespace monomorph::generator
