// The engine on the CPU, with its kernels' times or its layers' outputs.
#pragma once

#include <chrono>

#include "runtime/cpu/bandwidth.hpp"
#include "runtime/cpu/engine.hpp"

namespace monomorph::cpu {

/// The engine under LoadOptions::profile.
class MeasuredCpuEngine final : public CpuEngine, public ProfiledEngine {
 public:
  MeasuredCpuEngine(const Program& program, HostWeights weights, Quantized quantized, const LoadOptions& options);
  void reset_profile() override { totals_.reset(); }
  std::vector<KernelProfile> profile() const override { return totals_.totals(); }
  double read_bandwidth() const override { return cpu::read_bandwidth(threads()); }

 private:
  void will_run() override { since_ = std::chrono::steady_clock::now(); }
  void has_run(const Way& way, std::size_t step, const Work& work) override;
  std::vector<std::int64_t> entries_of_bank(const Way& way, std::size_t step, std::int64_t rows) const;

  KernelTotals totals_;
  std::chrono::steady_clock::time_point since_;  ///< the step before
};

/// The engine under LoadOptions::probe_layers.
class ProbedCpuEngine final : public CpuEngine, public ProbedEngine {
 public:
  using CpuEngine::CpuEngine;
  std::vector<std::vector<float>> probe(std::span<const Run> runs) override;
  std::vector<std::vector<float>> probe_sources(std::span<const Source> sources) override;

 private:
  void has_run(const Way& way, std::size_t step, const Work& work) override;

  std::vector<std::vector<float>> layers_;  ///< of the pass at hand, or of the sources that are being read
};

}  // namespace monomorph::cpu
