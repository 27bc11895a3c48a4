// Figures per kernel, summed over dispatches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/views.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// Neighbouring tokens of a slot in a pass, the first at `position`.
struct PassRun {
  std::int64_t position, tokens;
  bool operator==(const PassRun&) const = default;
};

/// A dispatch as it ran, in a pass over these runs. Attention's `tokens` are query rows, several a token; where the
/// rows are those of banks, entries, each of which has one of them.
struct DispatchExtent {
  std::int64_t rows, tokens;
  std::span<const PassRun> runs;
  std::int64_t banks = 1;
  std::int64_t first_row = 0, bank_rows = 0;    ///< of banks: the first of `rows`, and how many each has
  std::vector<std::int64_t> entries_of_bank{};  ///< where they are chosen
};

/// How many entries each of `banks` has, of what a choice says: `per_row` whole numbers, from the first on, of each of
/// `rows` rows, `stride` floats apart.
std::vector<std::int64_t> count_entries(const float* choice, std::int64_t stride, std::int64_t rows,
                                        std::int64_t per_row, std::int64_t banks);

class KernelTotals {
 public:
  explicit KernelTotals(const Program& program);
  void reset();
  /// Adds a dispatch: weights and cache are read once, arithmetic is done for each token.
  void add(std::int32_t kernel, const DispatchExtent& extent, double seconds);
  /// In the order of the program's kernels; those that did not run are left out.
  std::vector<KernelProfile> totals() const;

 private:
  /// Keys, for the pass that a kernel was last part of: a layer after another asks for the same.
  struct Seen {
    std::vector<PassRun> runs;
    std::int64_t tokens = 0, by_any = 0, by_each = 0;  ///< summed over the runs
  };
  const Program& program_;
  std::vector<KernelProfile> totals_;
  std::vector<Seen> seen_;
};

}  // namespace monomorph
