#include "runtime/cli/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>

#include "runtime/cli/describe.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::cli {
namespace {

double slowest(const PhaseFigures& phase) { return *std::max_element(phase.seconds.begin(), phase.seconds.end()); }
double fastest(const PhaseFigures& phase) { return *std::min_element(phase.seconds.begin(), phase.seconds.end()); }
double rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

double total_seconds(const std::vector<KernelProfile>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const KernelProfile& k) { return sum + k.seconds; });
}

/// Those that take longest first.
std::vector<KernelProfile> by_time(std::vector<KernelProfile> kernels) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return kernels;
}

/// Two decimals, and two digits where those would be none.
std::string decimals(double value) {
  return value > 0 && value < 0.1 ? fmt::format("{:.2g}", value) : fmt::format("{:.2f}", value);
}

std::string phase_line(const char* name, const PhaseFigures& phase) {
  if (phase.tokens == 0) return "";
  const auto tokens = static_cast<double>(phase.tokens);
  return fmt::format(
      "{:<8} {:>5} tokens  {:>9} tokens/s (median of {}, {} to {})  {:>8.2f} GB/s ({} a token)  {:>8.2f} "
      "GFLOP/s\n",
      name, phase.tokens, decimals(phase.tokens_per_second()), phase.seconds.size(),
      decimals(rate(tokens, slowest(phase))), decimals(rate(tokens, fastest(phase))), phase.gigabytes_per_second(),
      readable_bytes(static_cast<double>(phase.bytes) / tokens), phase.gigaflops());
}

/// In thousand millions a second; a dash where nothing was counted.
std::string kernel_rate(std::int64_t amount, double seconds) {
  return amount == 0 ? "-" : fmt::format("{:.2f}", rate(static_cast<double>(amount), seconds) / 1e9);
}

/// The busiest banks of a kernel, by the share of its entries that had them.
std::string busiest_banks(const std::vector<std::int64_t>& entries) {
  constexpr std::size_t most = 8;
  const auto total = static_cast<double>(std::accumulate(entries.begin(), entries.end(), std::int64_t{0}));
  std::vector<std::size_t> banks(entries.size());
  std::iota(banks.begin(), banks.end(), std::size_t{0});
  std::stable_sort(banks.begin(), banks.end(), [&](std::size_t a, std::size_t b) { return entries[a] > entries[b]; });
  std::string text;
  for (const std::size_t bank : banks | std::views::take(most)) {
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", bank,
                        100 * rate(static_cast<double>(entries[bank]), total));
  }
  return text + (banks.size() > most ? ", ..." : "");
}

/// Which of a weight's banks (experts) the dispatches of a kernel read.
std::string bank_table(const PhaseFigures& phase, std::size_t width) {
  std::string text;
  for (const KernelProfile& kernel : by_time(phase.kernels)) {
    if (kernel.entries_of_bank.empty()) continue;
    text += text.empty() ? "\n" : "";
    text += fmt::format("{:<{}}  {:.2f} of {} banks a call; entries by bank: {}\n", kernel.name, width,
                        rate(static_cast<double>(kernel.banks_read), static_cast<double>(kernel.calls)),
                        kernel.entries_of_bank.size(), busiest_banks(kernel.entries_of_bank));
  }
  return text;
}

std::string kernel_table(const char* name, const PhaseFigures& phase) {
  if (phase.kernels.empty()) return "";
  const double total = total_seconds(phase.kernels);
  std::size_t width = 6;
  for (const KernelProfile& kernel : phase.kernels) width = std::max(width, kernel.name.size());
  std::string text =
      fmt::format("\n{}, {} tokens: {:.3f} ms on the device\n{:<{}}  {:>7}  {:>10}  {:>8}  {:>9}  {:>6}\n", name,
                  phase.tokens, total * 1e3, "kernel", width, "calls", "ms", "GB/s", "GFLOP/s", "share");
  for (const KernelProfile& kernel : by_time(phase.kernels)) {
    text += fmt::format("{:<{}}  {:>7}  {:>10.3f}  {:>8}  {:>9}  {:>5.1f}%\n", kernel.name, width, kernel.calls,
                        kernel.seconds * 1e3, kernel_rate(kernel.bytes, kernel.seconds),
                        kernel_rate(kernel.flops, kernel.seconds), 100 * rate(kernel.seconds, total));
  }
  return text + bank_table(phase, width);
}

Json phase_json(const PhaseFigures& phase) {
  const auto tokens = static_cast<double>(phase.tokens);
  Json json = Json::object({{"tokens", phase.tokens},
                            {"repetitions", phase.seconds.size()},
                            {"tokens_per_second", Json::object({{"median", phase.tokens_per_second()},
                                                                {"min", rate(tokens, slowest(phase))},
                                                                {"max", rate(tokens, fastest(phase))}})},
                            {"seconds", phase.seconds},
                            {"bytes_per_token", static_cast<double>(phase.bytes) / tokens},
                            {"gigabytes_per_second", phase.gigabytes_per_second()},
                            {"gigaflops", phase.gigaflops()}});
  if (phase.kernels.empty()) return json;
  const double total = total_seconds(phase.kernels);
  Json kernels = Json::array();
  for (const KernelProfile& kernel : by_time(phase.kernels)) {
    Json each = Json::object({{"kernel", kernel.name},
                              {"calls", kernel.calls},
                              {"seconds", kernel.seconds},
                              {"gigabytes_per_second", rate(static_cast<double>(kernel.bytes), kernel.seconds) / 1e9},
                              {"gigaflops", rate(static_cast<double>(kernel.flops), kernel.seconds) / 1e9},
                              {"share", rate(kernel.seconds, total)}});
    if (!kernel.entries_of_bank.empty()) {
      each["banks_read"] = kernel.banks_read;
      each["entries_of_bank"] = kernel.entries_of_bank;
    }
    kernels.push_back(std::move(each));
  }
  json["kernels"] = std::move(kernels);
  return json;
}

}  // namespace

double PhaseFigures::median_seconds() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
double PhaseFigures::tokens_per_second() const { return rate(static_cast<double>(tokens), median_seconds()); }
double PhaseFigures::gigabytes_per_second() const { return rate(static_cast<double>(bytes), median_seconds()) / 1e9; }
double PhaseFigures::gigaflops() const { return rate(static_cast<double>(flops), median_seconds()) / 1e9; }

std::vector<KernelProfile> difference(std::vector<KernelProfile> whole, const std::vector<KernelProfile>& part) {
  for (KernelProfile& kernel : whole) {
    const auto same =
        std::find_if(part.begin(), part.end(), [&](const auto& other) { return other.name == kernel.name; });
    if (same == part.end()) continue;
    kernel.calls -= same->calls;
    kernel.seconds = std::max(0.0, kernel.seconds - same->seconds);
    kernel.bytes -= same->bytes;
    kernel.flops -= same->flops;
    kernel.banks_read -= same->banks_read;
    for (std::size_t bank = 0; bank < same->entries_of_bank.size(); ++bank) {
      kernel.entries_of_bank[bank] -= same->entries_of_bank[bank];
    }
  }
  std::erase_if(whole, [](const KernelProfile& kernel) { return kernel.calls <= 0; });
  return whole;
}

std::string bench_text(const BenchFigures& figures) {
  const std::string depth = figures.depth == 0 ? "" : fmt::format(", after {} tokens", figures.depth);
  std::string text = fmt::format("{} on {}{}\n", figures.model, figures.device, depth);
  for (const BatchFigures& each : figures.batches) {
    text += fmt::format("batch {}\n{}{}", each.batch, phase_line("prefill", each.prefill),
                        phase_line("decode", each.decode));
  }
  if (!figures.batches.empty()) return text;
  text += phase_line("prefill", figures.prefill) + phase_line("decode", figures.decode);
  if (figures.read_bandwidth > 0) {
    text += fmt::format("memory   is read in order at {:.2f} GB/s\n", figures.read_bandwidth / 1e9);
  }
  return text + kernel_table("prefill", figures.prefill) + kernel_table("decode", figures.decode);
}

std::string bench_json(const BenchFigures& figures) {
  Json json = Json::object({{"model", figures.model}, {"device", figures.device}, {"depth", figures.depth}});
  if (figures.read_bandwidth > 0) json["read_gigabytes_per_second"] = figures.read_bandwidth / 1e9;
  for (const BatchFigures& each : figures.batches) {
    Json batch = Json::object({{"batch", each.batch}, {"prefill", phase_json(each.prefill)}});
    if (each.decode.tokens > 0) batch["decode"] = phase_json(each.decode);
    json["batches"].push_back(std::move(batch));
  }
  if (figures.batches.empty()) {
    json["prefill"] = phase_json(figures.prefill);
    if (figures.decode.tokens > 0) json["decode"] = phase_json(figures.decode);
  }
  return json.dump(2) + "\n";
}

}  // namespace monomorph::cli
