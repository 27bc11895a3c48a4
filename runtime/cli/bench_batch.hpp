// `bench --batch`: several sequences at once, each in a slot of its own, through the same passes.
#pragma once

#include "runtime/cli/bench_report.hpp"
#include "runtime/cli/commands.hpp"

namespace monomorph::cli {

/// Throws Error(environment) for a batch below 1, and Error(rejected) for one that has more sequences than slots.
void validate_batches(const Program& program, const std::vector<std::int64_t>& batches);

/// Measures the batches that `options` names: prefill and decode of as many tokens of each sequence as `figures` has in
/// prefill.tokens and decode.tokens. `program` has no stop tokens.
void measure_batches(const Program& program, const BenchOptions& options, BenchFigures& figures);

}  // namespace monomorph::cli
