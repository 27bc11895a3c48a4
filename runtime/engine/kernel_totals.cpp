#include "runtime/engine/kernel_totals.hpp"

#include <algorithm>

namespace monomorph {

namespace {

/// Counts the banks that the dispatch has rows of, and gives how many of those rows are read.
std::int64_t add_banks(KernelProfile& total, const DispatchExtent& extent) {
  std::int64_t read = 0;
  total.entries_of_bank.resize(extent.entries_of_bank.size());
  for (std::size_t bank = 0; bank < extent.entries_of_bank.size(); ++bank) {
    const std::int64_t first = static_cast<std::int64_t>(bank) * extent.bank_rows;
    const std::int64_t rows =
        std::min(first + extent.bank_rows, extent.first_row + extent.rows) - std::max(first, extent.first_row);
    if (rows <= 0 || extent.entries_of_bank[bank] == 0) continue;
    read += rows;
    total.banks_read += 1;
    total.entries_of_bank[bank] += extent.entries_of_bank[bank];
  }
  return read;
}

}  // namespace

std::vector<std::int64_t> count_entries(const float* choice, std::int64_t stride, std::int64_t rows,
                                        std::int64_t per_row, std::int64_t banks) {
  std::vector<std::int64_t> entries(static_cast<std::size_t>(banks));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t n = 0; n < per_row; ++n) {
      ++entries[std::min(static_cast<std::size_t>(choice[row * stride + n]), entries.size() - 1)];
    }
  }
  return entries;
}

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
  if (!std::ranges::equal(seen.runs, extent.runs)) {
    seen = {{extent.runs.begin(), extent.runs.end()}};
    for (const PassRun& run : extent.runs) {
      seen.tokens += run.tokens;
      seen.by_any += cost.keys_of_any(run.position, run.tokens);
      seen.by_each += cost.keys_of_each(run.position, run.tokens);
    }
  }
  const std::int64_t read = extent.entries_of_bank.empty()
                                ? extent.rows * std::min(extent.banks, extent.tokens) / extent.banks
                                : add_banks(total, extent);
  total.bytes += cost.bytes(read, extent.tokens, seen.by_any);
  const std::int64_t queries = extent.tokens / std::max<std::int64_t>(seen.tokens, 1);  // of each token
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
