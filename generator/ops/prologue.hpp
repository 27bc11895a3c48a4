// What a kernel does with a row before it computes: the row is picked, then normed. Kernels of norms and matrices share
// it (templates/kernels/norm_parts.glsl).
#pragma once

#include "generator/plan/draft.hpp"

namespace monomorph::generator {

/// The operations of the group that give `input` from memory: a pick of rows, a norm after it, either or none.
std::vector<OpId> prologue_ops(const Group& group, const Planning& planning, ValueId input);

/// Whether this group may have such operations: rows are picked where a phase serves the rows that are wanted, and
/// normed in front of a matrix where rows come one at a time.
bool accepts_prologue(const Group& group, const Planning& planning, ValueId input);

/// Binds norm's weight and bias and the input; sets what norm_parts.glsl reads. `norm`: the norm that the kernel
/// computes of `input`, or null. `in_place`: the input is the output's buffer, which is bound once.
void plan_prologue(Draft& draft, ValueId input, const Op* norm, bool in_place);

}  // namespace monomorph::generator
