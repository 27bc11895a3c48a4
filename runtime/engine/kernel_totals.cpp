#include "runtime/engine/kernel_totals.hpp"

#include <algorithm>

namespace monomorph {

KernelTotals::KernelTotals(const Program& program) : program_(program) { reset(); }

void KernelTotals::reset() {
  totals_.clear();
  seen_.assign(program_.kernels.size(), {});
  for (const Kernel& kernel : program_.kernels) totals_.push_back({kernel.name, 0, 0, 0, 0});
}

void KernelTotals::add(std::int32_t kernel, const DispatchExtent& extent, double seconds) {
  const auto index = static_cast<std::size_t>(kernel);
  KernelProfile& total = totals_[index];
  total.calls += 1;
  total.seconds += seconds;
  const KernelCost& cost = program_.kernels[index].cost;
  Seen& seen = seen_[index];
  if (seen.position != extent.position || seen.seq_len != extent.seq_len) {
    seen = {extent.position, extent.seq_len, cost.keys_of_any(extent.position, extent.seq_len),
            cost.keys_of_each(extent.position, extent.seq_len)};
  }
  const std::int64_t read = extent.rows * std::min(extent.banks, extent.tokens) / extent.banks;
  total.bytes += cost.bytes(read, extent.tokens, seen.by_any);
  const std::int64_t queries = extent.tokens / std::max<std::int64_t>(extent.seq_len, 1);  // of each token
  total.flops += cost.flops_per_row * extent.rows * extent.tokens / extent.banks +
                 cost.flops_per_key * extent.rows * queries * seen.by_each;
}

std::vector<KernelProfile> KernelTotals::totals() const {
  std::vector<KernelProfile> ran;
  std::copy_if(totals_.begin(), totals_.end(), std::back_inserter(ran),
               [](const KernelProfile& p) { return p.calls > 0; });
  return ran;
}

}  // namespace monomorph
