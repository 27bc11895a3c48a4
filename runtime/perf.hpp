// Figures per kernel, summed over dispatches.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/load.hpp"
#include "runtime/program.hpp"

namespace monomorph {

class KernelTotals {
 public:
  explicit KernelTotals(const Program& program);
  void reset();
  /// One dispatch of `rows` rows that served `tokens` tokens: a weight is read once, arithmetic is done for each token.
  void add(std::int32_t kernel, std::int64_t rows, std::int64_t tokens, double seconds);
  /// In the order of the program's kernels; those that did not run are left out.
  std::vector<KernelProfile> totals() const;

 private:
  const Program& program_;
  std::vector<KernelProfile> totals_;
};

}  // namespace monomorph
