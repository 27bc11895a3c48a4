// Loading: takes an emitted program, weights and a device; gives an engine ready to run. Also what is asked before
// that: which devices there are, and what memory a program needs. No type of Vulkan reaches this header.
//
// "reference" is no device: it is the model in plain loops, in double (runtime/reference/reference_engine.hpp),
// which needs no driver.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engine/device_info.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/engine/views.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// Every device that Vulkan lists, the unusable too, in Vulkan's order. Empty where there is no loader or no driver.
std::vector<DeviceInfo> list_vulkan_devices();
/// The same, and behind them the processor: what a program may run on.
std::vector<DeviceInfo> list_devices(const Program& program);

/// Throws Error: rejected (the checkpoint does not fit the program, or the config.json beside it says another model),
/// environment (files), device (no device, too little memory).
std::unique_ptr<Engine> load_engine(const Program& program, const LoadOptions& options);

// ------------------------------------------------------------------------------------------------------------- memory

/// What a program needs of a device, in bytes, and how it is laid out.
struct MemoryPlan {
  std::int64_t weights = 0;  ///< with the padding of rows and slices
  std::int64_t mapped = 0;   ///< of the CPU: weights that are read where their file is mapped, and take no memory
  std::int64_t activations = 0, states = 0, host = 0;
  std::int64_t tensors = 0, slices = 0, allocations = 0;  ///< weights: counts, the last two of Vulkan alone
  std::int64_t total() const { return weights + activations + states + host; }
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
