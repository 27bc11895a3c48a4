// What is known of a device, whatever it is: its name, memory and limits. No type of Vulkan reaches this header.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace monomorph {

/// What a device allows; copied from it, and lowered by tests.
struct Limits {
  std::int64_t max_storage_buffer_range = 0;
  std::int64_t max_allocation_size = 0;
  std::int64_t storage_offset_alignment = 0;
  std::int64_t max_workgroup_count_x = 0;
  std::int64_t max_workgroup_count_y = 0;
  std::int64_t max_workgroup_invocations = 0;
  std::int64_t max_workgroup_size_x = 0;
  std::int64_t max_shared_memory = 0;
  // No device says these. Tests make tiles small, so that small models have several, and give each tensor a buffer of
  // its own, since the validation layer judges accesses by buffers and not by what is bound of them.
  std::int64_t max_tile_rows = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_tile_tokens = std::numeric_limits<std::int64_t>::max();
  bool separate_buffers = false;
};

struct MemoryHeap {
  std::int64_t bytes = 0;
  std::int64_t available = 0;  ///< by VK_EXT_memory_budget where the driver has it, else `bytes`
  bool device_local = false;
};

/// In the order in which they are preferred. The processor runs kernels of its own; a `cpu` is a driver of Vulkan that
/// runs on it, more slowly.
enum class DeviceType { discrete, integrated, virtual_gpu, processor, cpu, other };

struct DeviceInfo {
  std::int64_t index = 0;  ///< what --device takes
  std::string backend;     ///< that runs programs on it: runtime/engine/backend.hpp
  std::string name;
  DeviceType type = DeviceType::other;
  std::string driver;       ///< name and version as the driver says them
  std::string api_version;  ///< "1.3.230"
  std::int64_t subgroup_size = 0;
  bool memory_budget = false;  ///< heaps' `available` is the driver's word
  std::vector<MemoryHeap> heaps;
  Limits limits;
  bool chosen = false;   ///< what an empty --device takes
  std::string unusable;  ///< why not; empty: it can be used

  /// Bytes of the largest device-local heap, where weights and cache go.
  std::int64_t memory() const;
};

const char* to_string(DeviceType type);

/// What takes the place of the device's own words where it is set: for tests. Limits can only be lowered. Tests of
/// whole programs set them by environment (runtime/engine/test_limits.hpp).
struct LimitOverrides {
  std::optional<DeviceType> type;  ///< kernels, tiles and memory as a device of this class has them
  std::optional<std::int64_t> max_storage_buffer_range;
  std::optional<std::int64_t> max_allocation_size;
  std::optional<std::int64_t> max_workgroup_count_x;
  std::optional<std::int64_t> max_workgroup_invocations;
  std::optional<std::int64_t> max_shared_memory;
  std::optional<std::int64_t> max_tile_rows, max_tile_tokens;
  bool separate_buffers = false;
  std::optional<std::int64_t> heap_bytes;  ///< of every heap
  bool staging = false;                    ///< memory of the device cannot be mapped, as on a discrete GPU
};

}  // namespace monomorph
