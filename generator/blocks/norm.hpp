// Normalisation: the numbers of a norm, and the norms around a sub-block.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct Axis;
struct NormContract;

NormContract derive_norm(const NormSection& norm);

/// The rules on every norm that is a field of this section and has keys of its own.
void check_norms(const std::string& section, const BoundFields& fields, Diagnostics& diagnostics);
/// The rule on a norm of heads, which `path` says: a ScaleNorm has one weight for all that is normed.
void check_norm_of_heads(const std::string& path, const NormSection& norm, const Span& span, Diagnostics& diagnostics);
/// The weights and the bias that a norm over this axis has.
void declare_norm(const std::string& word, const NormSection& norm, Id<Axis> over, Declarations& declare);
/// The norm of one place in or around the block, which the builder has entered: over the last axis of `in`, or, where
/// `over` is given, over each run that this factor of it says.
Id<Value> build_norm(const std::string& place, const Field<NormChoice>& choice, const Block& block, Builder& build,
                     Id<Value> in, const std::string& role, Id<Axis> over = {});

}  // namespace monomorph::generator
