#include "runtime/engine/kernel_totals.hpp"

#include <algorithm>
#include <functional>

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
  std::int64_t banks_read = std::min(extent.banks, extent.tokens);
  if (!extent.entries_of_bank.empty()) {
    banks_read = std::ranges::count_if(extent.entries_of_bank, [](std::int64_t entries) { return entries > 0; });
    total.banks_read += banks_read;
    total.entries_of_bank.resize(extent.entries_of_bank.size());
    std::ranges::transform(total.entries_of_bank, extent.entries_of_bank, total.entries_of_bank.begin(), std::plus{});
  }
  const std::int64_t read = extent.rows * banks_read / extent.banks;
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
