// A plan's kernels for the CPU: emitted, compiled as `monomorph build` does but without optimization, and loaded into
// this process. The executable exports its symbols (ENABLE_EXPORTS), which the kernels call.
#pragma once

#include <span>

#include "generator/plan/plan.hpp"
#include "runtime/program/cpu_kernel.hpp"

namespace monomorph::test {

class CpuLibrary {
 public:
  /// Throws std::runtime_error with what the compiler says.
  explicit CpuLibrary(const generator::Plan& plan);
  CpuLibrary(const CpuLibrary&) = delete;
  ~CpuLibrary();

  /// By kernel of the plan.
  std::span<const cpu::Function> kernels() const { return kernels_; }

 private:
  void* library_ = nullptr;
  std::span<const cpu::Function> kernels_;
};

}  // namespace monomorph::test
