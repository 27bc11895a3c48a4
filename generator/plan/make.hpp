// Parts of making a plan that are no stage of their own.
#pragma once

#include <utility>
#include <vector>

#include "generator/plan/partition.hpp"

namespace monomorph::generator {

/// make_plan, not verified: with some judgements left out, which only tests do, and counting the rules that applied.
Plan make_plan(const Contract& contract, const Graph& graph, const Judgements& judgements,
               std::vector<std::int64_t>* fired);

/// Whether the model has this way through its graph.
bool serves(const PhaseRow& row, const Contract& contract);
/// Rows that a phase serves.
std::int64_t max_rows(const PhaseRow& row, const Contract& contract);

/// Whether two kernels are one: the same template filled alike, with alike bindings.
bool alike(const Kernel& a, const Kernel& b);
/// A copy of a value to another buffer of its shape.
std::pair<Kernel, Call> plan_copy(const Plan& plan, const Planning& planning, ValueId value, BufferId from,
                                  BufferId to);
/// Gives axes, buffers and kernels their names: plain words where they are the only ones, else qualified by layer
/// kinds.
void name_all(Plan& plan, const Contract& contract);

}  // namespace monomorph::generator
