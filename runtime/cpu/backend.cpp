#include "runtime/cpu/backend.hpp"

#include <fmt/format.h>

#include <utility>

#include "runtime/cpu/cores.hpp"
#include "runtime/cpu/views.hpp"
#include "runtime/cpu/ways.hpp"
#include "runtime/engine/test_limits.hpp"
#include "runtime/error.hpp"

namespace monomorph::cpu {
namespace {

constexpr std::int64_t most_threads = 1024;

/// Of weights that are opened, or of what the program knows of them.
MemoryPlan plan_of(const Program& program, const HostWeights* weights, Quantized quantized) {
  const WeightBytes bytes = weight_bytes(program, weights, quantized);
  MemoryPlan plan = plan_without_weights(program);
  plan.weights = bytes.copied;
  plan.mapped = bytes.mapped;
  return plan;
}

/// Copied where all that the engine needs is at most half of the memory that is available. The other half lets the
/// system keep the file's pages for the next start.
Quantized quantized_of(const Program& program, const HostWeights* weights, const DeviceInfo& processor) {
  const std::int64_t needed = plan_of(program, weights, Quantized::copied).total();
  return needed <= main_heap(processor)->available / 2 ? Quantized::copied : Quantized::mapped;
}

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  std::vector<DeviceInfo> list_devices() const override { return {describe_processor()}; }

  MemoryPlan plan_memory(const Program& program, const DeviceInfo* processor) const override {
    return plan_of(program, nullptr,
                   processor == nullptr ? Quantized::copied : quantized_of(program, nullptr, *processor));
  }

  std::unique_ptr<Engine> load(const Program& program, const DeviceInfo& chosen,
                               const LoadOptions& options) const override {
    if (options.threads < 0 || options.threads > most_threads) {
      throw Error(ErrorKind::rejected,
                  fmt::format("{} threads: there may be 1 to {}, or 0 for as many as there are cores", options.threads,
                              most_threads));
    }
    if (program.cpu_kernels.size() != program.kernels.size()) {
      throw Error(ErrorKind::internal, fmt::format("{} names the CPU and has no kernels for it", program.name));
    }
    DeviceInfo processor = chosen;
    lower_limits(processor, with_test_limits(options.limits));
    HostWeights weights = open_weights(program, options);
    const Quantized quantized = quantized_of(program, &weights, processor);
    check_memory(program, plan_of(program, &weights, quantized), processor);
    if (options.profile) return std::make_unique<MeasuredCpuEngine>(program, std::move(weights), quantized, options);
    if (options.probe_layers) return std::make_unique<ProbedCpuEngine>(program, std::move(weights), quantized, options);
    return std::make_unique<CpuEngine>(program, std::move(weights), quantized, options);
  }
};

}  // namespace

const Backend& backend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace monomorph::cpu
