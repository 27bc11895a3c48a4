// What `bench` measured, as text and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/load/load.hpp"

namespace monomorph::cli {

/// One phase: the same work, several times.
struct PhaseFigures {
  std::int64_t tokens = 0;             ///< of one repetition; 0: the model has no such phase
  std::vector<double> seconds;         ///< of each repetition, at least one
  std::int64_t bytes = 0;              ///< of weights and cache, moved in one repetition
  std::int64_t flops = 0;              ///< of one repetition, attention aside
  std::vector<KernelProfile> kernels;  ///< of one further repetition; empty without --profile

  double median_seconds() const;
  double tokens_per_second() const;  ///< by the median
  double gigabytes_per_second() const;
  double gigaflops() const;
};

/// What `whole` did beyond `part`; kernels that did nothing more are left out.
std::vector<KernelProfile> difference(std::vector<KernelProfile> whole, const std::vector<KernelProfile>& part);

/// Several sequences at once: figures are of all together.
struct BatchFigures {
  std::int64_t batch = 1;  ///< sequences
  PhaseFigures prefill, decode;
};

struct BenchFigures {
  std::string model;
  std::string device;
  std::int64_t depth = 0;               ///< tokens that stood before
  PhaseFigures prefill, decode;         ///< of one sequence alone; not told where there are batches
  std::vector<BatchFigures> batches{};  ///< in the order that was asked for
  double read_bandwidth = 0;            ///< bytes/s, of a profile: ProfiledEngine::read_bandwidth()
};

std::string bench_text(const BenchFigures& figures);
std::string bench_json(const BenchFigures& figures);

}  // namespace monomorph::cli
