// The kernel `heads`: chains of a norm, a rotation and an append, head by head, for up to three operands of one
// attention.
#pragma once

#include "generator/plan/draft.hpp"

namespace monomorph::generator {

/// Whether the group is such chains: of queries, of keys, of values, each at most once; alike in head size and in how
/// they turn; read from columns of one row.
bool accepts_heads(const Group& group, const Planning& planning);
void plan_head_chains(Draft& draft);

/// Of a norm of heads: whether each has weights, or a bias, of its own.
bool has_weights_per_head(const Op& norm, const Graph& graph);

}  // namespace monomorph::generator
