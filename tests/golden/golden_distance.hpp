// How far the logits of a model that everything before it accepts are from a golden's, without an engine: the model's
// graph is evaluated over the golden's weights, operation by operation.
#pragma once

#include <cstdint>
#include <filesystem>

#include "generator/audit/meanings.hpp"

namespace monomorph::tests {

/// A golden's test passes up to 1e-5; what is further away than twice that it refuses, however an engine rounds.
inline constexpr double refused_by_golden = 2e-5;
/// Below this nothing was changed but how sums are rounded, as in the goldens' own record of what keys do.
inline constexpr double inert_in_golden = 3e-6;

/// Relative L2 of the worst row, or of the first text that is refused. The weights fit. Texts of more than
/// `most_tokens` are left out; there is a shorter one.
double golden_distance(const generator::Meaning& meaning, const std::filesystem::path& golden,
                       std::int64_t most_tokens);

}  // namespace monomorph::tests
