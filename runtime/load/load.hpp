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

#include "runtime/engine/backend.hpp"
#include "runtime/engine/device_info.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/engine/views.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// Every device of every backend that the program has, the unusable too.
std::vector<DeviceInfo> list_devices(const Program& program);
/// The one that `request` names, as LoadOptions::device does, but for "reference". Throws Error(device).
DeviceInfo find_device(const Program& program, const std::string& request);

/// Throws Error: rejected (the checkpoint does not fit the program, or the config.json beside it says another model),
/// environment (files), device (no device, too little memory).
std::unique_ptr<Engine> load_engine(const Program& program, const LoadOptions& options);

// ------------------------------------------------------------------------------------------------------------- memory

/// What the program needs of `device`; of none: of any that its first backend has.
MemoryPlan plan_memory(const Program& program, const std::optional<DeviceInfo>& device = std::nullopt);
/// The plan as lines of text for `info`; with a device, beside what it has and whether it fits.
std::string describe_memory(const Program& program, const std::optional<DeviceInfo>& device = std::nullopt);

/// Nothing where it is turned off (MONOMORPH_NO_CACHE), where there is no home to keep it in, or no driver compiles.
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
