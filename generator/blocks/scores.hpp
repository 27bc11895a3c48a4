// Scores of attention: the scaled product of a query and a key, what becomes of it, and which keys a query sees.
#pragma once

#include "generator/blocks/attention.hpp"

namespace monomorph::generator {

struct Attention;

/// The keys that the mask shows; every one where nothing says otherwise, or what does is wrong.
Window window_of(const AttentionSection& attention);
/// The rules on scale, softcap, score, mask, sliding_window and window.
void check_scores(const BlockContext& context, Diagnostics& diagnostics);
/// The scale of each layer, where it names `layer`.
void declare_layer_scale(const BlockContext& context, Declarations& declare);
/// That number; none where all layers have one scale.
Id<Value> build_layer_scale(const BlockContext& context, Builder& build);
/// How an accepted sub-block scores.
Attention scores_of(const BlockContext& context);

}  // namespace monomorph::generator
