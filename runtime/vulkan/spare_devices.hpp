// Logical devices beside an engine's own, on which kernels are compiled by several threads at once, for a driver that
// compiles in the one thread of each device's queue and keeps what it compiled for all of its devices: lavapipe, in
// Mesa's shader cache on disk.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/pipelines.hpp"

namespace monomorph::vulkan {

class SpareDevices {
 public:
  /// Whether the engine's own device finds what was compiled on others.
  static bool help(const Device& device);

  /// One for each thread, all made before any compiles: the validation layer of 1.3 looks devices up without a lock,
  /// and must not do so while another is made. What cannot be made is left out.
  SpareDevices(const Device& device, std::size_t threads);
  ~SpareDevices();

  /// Compiles a kernel on the thread's own. A spare device that fails is no reason to fail: the engine's own compiles
  /// what it does not find.
  void compile(const Kernel& kernel, const DeviceFacts& facts, const Tile& tile, std::size_t thread);

 private:
  class Spare;
  std::vector<std::unique_ptr<Spare>> spares_;  ///< by thread; left out: null
};

}  // namespace monomorph::vulkan
