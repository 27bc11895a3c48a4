// Adapters of low rank beside projections: q(x) + q_adapter_up(q_adapter_down(x)) (LoRA, Hu et al. 2021; trained with
// the model where layers share the projection, Zamba2, arXiv 2411.15242).
#pragma once

#include <string>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct Axis;
struct Projection;

/// The rule on `adapter_rank`; `path` is that of the field.
void check_adapter_rank(const Field<std::int64_t>& rank, const std::string& path, Diagnostics& diagnostics);

/// Whether an adapter of attention stands beside this projection.
inline bool is_adapted(const std::string& word) { return word == "q" || word == "k" || word == "v"; }

/// The matrix that makes x narrow: `<name>_down`, [rank, columns].
void declare_narrowing(const std::string& name, Id<Axis> columns, const Field<std::int64_t>& rank,
                       Declarations& declare);
/// The matrices that make it as wide as these projections give, `<word>_adapter_up`: what they are multiplied with is
/// one.
void declare_widening(const std::string& input, const std::vector<Projection>& adapted, const Field<std::int64_t>& rank,
                      Declarations& declare);

/// What the adapter makes of x, narrow.
Id<Value> build_narrowed(const std::string& name, Builder& build, Id<Value> in);
/// What the projection `word` gives for `in`, and what its adapter gives for `narrow`, together.
Id<Value> build_adapted(const std::string& word, Builder& build, Id<Value> in, Id<Value> narrow,
                        const std::string& role);

}  // namespace monomorph::generator
