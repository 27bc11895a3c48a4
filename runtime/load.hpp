// Loading: takes an emitted program, weights and a device; gives an engine ready to run. Also what is asked before that
// (which devices there are, what memory a program needs) and two views of a loaded engine: figures per kernel, and the
// hidden states after each layer. No type of Vulkan reaches this header.
//
// "cpu" is no Vulkan device: it is the emitted CPU reference (runtime/reference_engine.hpp), which needs no driver.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/engine.hpp"
#include "runtime/program.hpp"

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

enum class DeviceType { discrete, integrated, virtual_gpu, cpu, other };

struct DeviceInfo {
  std::int64_t index = 0;  ///< what --device takes
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

/// Every device that Vulkan lists, the unusable too, in Vulkan's order. Empty where there is no loader or no driver.
std::vector<DeviceInfo> list_devices();

/// What takes the place of the device's own words where it is set: for tests. Limits can only be lowered. Tests of
/// whole programs set them by environment (runtime/vulkan/test_limits.hpp).
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

using LoadProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct LoadOptions {
  std::string weights_path;     ///< a .safetensors file or a directory
  bool random_weights = false;  ///< in place of weights_path
  std::uint64_t random_seed = 0;
  bool ignore_config = false;                    ///< a config.json beside the weights is not compared
  std::function<void(const std::string&)> note;  ///< is told what was not compared
  std::string device;         ///< digits: an index; else part of a name in any case; "cpu"; empty: the best one
  bool profile = false;       ///< the engine is a ProfiledEngine
  bool probe_layers = false;  ///< the engine is a ProbedEngine
  LoadProgress progress;      ///< bytes of weights on the device
  /// Kernels: each is made and then, since some drivers compile only there, dispatched once over nothing. After that no
  /// call waits for a compiler.
  LoadProgress compiling;
  LimitOverrides limits;
};

/// Throws Error: rejected (the checkpoint does not fit the program, or the config.json beside it says another model),
/// environment (files), device (no device, too little memory).
std::unique_ptr<Engine> load_engine(const Program& program, const LoadOptions& options);

// ------------------------------------------------------------------------------------------------------------ figures

struct KernelProfile {
  std::string name;
  std::int64_t calls = 0;  ///< dispatches
  double seconds = 0;      ///< on the device
  std::int64_t bytes = 0;  ///< of weights and cache, as Kernel::cost says
  std::int64_t flops = 0;
};

/// A view of an engine loaded with LoadOptions::profile: dynamic_cast<ProfiledEngine*>(engine). Calls are slower under
/// it (a timestamp around each dispatch), so times of whole calls are taken without.
class ProfiledEngine {
 public:
  virtual ~ProfiledEngine() = default;
  virtual void reset_profile() = 0;
  /// What ran since the last reset, in the order of Program::kernels, kernels without calls left out.
  virtual std::vector<KernelProfile> profile() const = 0;
};

/// A view of an engine loaded with LoadOptions::probe_layers: appends a run as Engine::step does and gives the hidden
/// states after every layer: [layers][tokens x hidden_size], rows without padding.
class ProbedEngine {
 public:
  virtual ~ProbedEngine() = default;
  virtual std::vector<std::vector<float>> probe(const Run& run) = 0;
};

// ------------------------------------------------------------------------------------------------------------- memory

/// What a program needs of a device, in bytes, and how it is laid out.
struct MemoryPlan {
  std::int64_t weights = 0;  ///< with the padding of rows and slices
  std::int64_t activations = 0, states = 0, host = 0, tables = 0;
  std::int64_t tensors = 0, slices = 0, allocations = 0;  ///< weights: counts
  std::int64_t total() const { return weights + activations + states + host + tables; }
};

/// Without a device: the layout for the limits that every Vulkan device has (slices of at most 128 MiB).
MemoryPlan plan_memory(const Program& program, const std::optional<DeviceInfo>& device = std::nullopt);
/// The plan as lines of text for `info`; with a device, beside what it has and whether it fits.
std::string describe_memory(const Program& program, const std::optional<DeviceInfo>& device = std::nullopt);

/// The driver's compiled kernels of a program, kept on disk for one device.
struct PipelineCacheFile {
  std::string path;
  std::int64_t bytes = 0;  ///< 0: not written yet
};
/// Nothing where it is turned off (MONOMORPH_NO_CACHE), or there is no home to keep it in.
std::optional<PipelineCacheFile> find_pipeline_cache(const Program& program, const DeviceInfo& device);

/// What one decoded token costs, for `info`: dispatches as recorded (a tensor in one slice).
struct DispatchCount {
  std::int64_t kernels = 0;  ///< pipelines of the program
  std::int64_t decode = 0;   ///< embedding and layers
  std::int64_t head = 0, sample = 0;
  std::int64_t per_layer = 0;  ///< of the second layer, or of all of decode where there is one layer
  std::int64_t prefill = 0;    ///< of a chunk
  std::int64_t spirv_bytes = 0;
  std::int64_t per_token() const { return decode + head + sample; }
};
DispatchCount count_dispatches(const Program& program);

}  // namespace monomorph
