// The kernel `heads`: chains of a norm, a rotation and an append, head by head, for up to three operands of one
// attention.
#pragma once

#include "generator/plan/draft.hpp"

namespace monomorph::generator {

/// Whether the group is such chains: of queries, of keys, of values, each at most once; alike in head size and in the
/// table of angles; read from columns of one row.
bool accepts_heads(const Group& group, const Planning& planning);
void plan_head_chains(Draft& draft);

}  // namespace monomorph::generator
