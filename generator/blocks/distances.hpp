// Positions that are told by the distance of a key from a query: a learned row of numbers for each distance, or for
// each bucket of distances.
#pragma once

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

struct Axis;
struct Distances;

/// The rules on a [position] whose type is "relative_buckets" or "relative". `causal`: queries see no key after them.
void check_distances(const BlockContext& context, bool causal, Diagnostics& diagnostics);
/// The rows: of buckets, a number for each of `heads` (relative_bias); of distances, one for each element of `head`
/// (relative_keys).
void declare_distances(const BlockContext& context, Id<Axis> heads, Id<Axis> head, Declarations& declare);
/// Which row a distance has: of T5's buckets (Raffel et al. 2020), or one of its own (Shaw et al. 2018).
Distances distances_of(const BlockContext& context, bool causal);
/// Those rows; none where positions are told otherwise.
Id<Value> build_distances(const BlockContext& context, Builder& build);

}  // namespace monomorph::generator
