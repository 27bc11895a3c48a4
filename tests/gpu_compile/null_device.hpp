// RADV's null device: Mesa's compiler for AMD GPUs, without a GPU. Takes a kernel's SPIR-V and the constants it is
// specialized for; gives what the compiler says of the result. It compiles and does nothing else: it has no memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/vulkan/handle.hpp"
#include "runtime/vulkan/instance.hpp"
#include "runtime/vulkan/tuning.hpp"

namespace monomorph::tests {

/// Where Debian has RADV's manifest.
bool radv_installed();

/// Of one compiled kernel. Registers are per invocation (vector) and per subgroup (scalar).
struct KernelStatistics {
  std::int64_t vgprs = 0, sgprs = 0;
  std::int64_t spilled_vgprs = 0, spilled_sgprs = 0;
  std::int64_t scratch_bytes = 0;  ///< private memory: spills, and arrays that do not fit registers
  std::int64_t shared_bytes = 0;
  std::int64_t subgroups_per_simd = 0;  ///< occupancy
  std::int64_t code_bytes = 0;
};

class NullDevice {
 public:
  /// `family` as RADV_FORCE_FAMILY takes it. Sets that variable and VK_ICD_FILENAMES of this process.
  explicit NullDevice(const std::string& family);
  ~NullDevice();
  NullDevice(const NullDevice&) = delete;
  NullDevice& operator=(const NullDevice&) = delete;

  /// What the runtime would choose tiles by, had this device memory.
  const vulkan::DeviceFacts& facts() const { return facts_; }

  /// `bindings` storage buffers in set 0. Throws std::runtime_error where the driver refuses, or leaves out a figure.
  KernelStatistics compile(std::span<const std::uint32_t> spirv, std::size_t bindings, const vulkan::Tile& tile) const;

 private:
  KernelStatistics statistics_of(VkPipeline pipeline) const;

  std::shared_ptr<vulkan::Instance> instance_;
  VkDevice device_ = VK_NULL_HANDLE;
  bool subgroup_size_control_ = false;
  vulkan::DeviceFacts facts_;
};

}  // namespace monomorph::tests
