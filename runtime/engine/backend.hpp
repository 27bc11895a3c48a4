// A backend: what runs programs on devices of one kind. An engine names those that it was built for
// (Program::backends), and links no other.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/engine/device_info.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/engine/memory_plan.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// The driver's compiled kernels of a program, kept on disk for one device.
struct PipelineCacheFile {
  std::string path;
  std::int64_t bytes = 0;  ///< 0: not written yet
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// One of backend_names (runtime/program/program.hpp).
  virtual std::string_view name() const = 0;
  /// Why it can have no devices at all; empty: it can.
  virtual std::string trouble() const { return {}; }
  /// Its devices, the unusable too, numbered from 0. Empty where there is no driver.
  virtual std::vector<DeviceInfo> list_devices() const = 0;
  /// What a program needs of the device; null: of any.
  virtual MemoryPlan plan_memory(const Program& program, const DeviceInfo* device) const = 0;
  /// Throws Error: rejected, environment, device, as load_engine says (runtime/load/load.hpp).
  virtual std::unique_ptr<Engine> load(const Program& program, const DeviceInfo& device,
                                       const LoadOptions& options) const = 0;
  /// Nothing where it keeps none, where that is turned off (MONOMORPH_NO_CACHE), or there is no home to keep it in.
  virtual std::optional<PipelineCacheFile> find_pipeline_cache(const Program&, const DeviceInfo&) const {
    return std::nullopt;
  }
};

}  // namespace monomorph
