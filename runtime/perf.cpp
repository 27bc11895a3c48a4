#include "runtime/perf.hpp"

#include <algorithm>

namespace monomorph {

KernelTotals::KernelTotals(const Program& program) : program_(program) { reset(); }

void KernelTotals::reset() {
  totals_.clear();
  for (const Kernel& kernel : program_.kernels) totals_.push_back({kernel.name, 0, 0, 0, 0});
}

void KernelTotals::add(std::int32_t kernel, std::int64_t rows, std::int64_t tokens, double seconds) {
  const auto index = static_cast<std::size_t>(kernel);
  KernelProfile& total = totals_[index];
  total.calls += 1;
  total.seconds += seconds;
  total.bytes += program_.kernels[index].bytes_per_row * rows;
  total.flops += program_.kernels[index].flops_per_row * rows * tokens;
}

std::vector<KernelProfile> KernelTotals::totals() const {
  std::vector<KernelProfile> ran;
  std::copy_if(totals_.begin(), totals_.end(), std::back_inserter(ran),
               [](const KernelProfile& p) { return p.calls > 0; });
  return ran;
}

}  // namespace monomorph
