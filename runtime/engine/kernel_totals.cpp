#include "runtime/engine/kernel_totals.hpp"

#include <algorithm>

namespace monomorph {

KernelTotals::KernelTotals(const Program& program) : program_(program) { reset(); }

void KernelTotals::reset() {
  totals_.clear();
  for (const Kernel& kernel : program_.kernels) totals_.push_back({kernel.name, 0, 0, 0, 0});
}

void KernelTotals::add(std::int32_t kernel, const DispatchExtent& extent, double seconds) {
  const auto index = static_cast<std::size_t>(kernel);
  KernelProfile& total = totals_[index];
  total.calls += 1;
  total.seconds += seconds;
  const KernelCost& cost = program_.kernels[index].cost;
  total.bytes += cost.bytes(extent.rows, extent.tokens, extent.position, extent.seq_len);
  // Causal: a token sees the keys up to its own, on average half of this call's.
  const std::int64_t all = 2 * extent.position + extent.seq_len + 1;
  const std::int64_t doubled = cost.most_keys == 0 ? all : std::min(all, 2 * cost.most_keys);
  total.flops +=
      cost.flops_per_row * extent.rows * extent.tokens + cost.flops_per_key * extent.rows * extent.tokens * doubled / 2;
}

std::vector<KernelProfile> KernelTotals::totals() const {
  std::vector<KernelProfile> ran;
  std::copy_if(totals_.begin(), totals_.end(), std::back_inserter(ran),
               [](const KernelProfile& p) { return p.calls > 0; });
  return ran;
}

}  // namespace monomorph
