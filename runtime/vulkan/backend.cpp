#include "runtime/vulkan/backend.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/engine/test_limits.hpp"
#include "runtime/error.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/engine.hpp"
#include "runtime/vulkan/layout.hpp"
#include "runtime/vulkan/pipeline_cache.hpp"

namespace monomorph::vulkan {
namespace {

class VulkanBackend final : public Backend {
 public:
  std::string_view name() const override { return "vulkan"; }

  std::vector<DeviceInfo> list_devices() const override {
    const auto instance = Instance::create();
    if (!instance) return {};
    std::vector<DeviceInfo> devices;
    for (PhysicalDevice& device : list_physical_devices(*instance)) devices.push_back(std::move(device.info));
    return devices;
  }

  std::string trouble() const override { return trouble_with_loader(); }

  /// Of any device: the layout for the limits that all have (slices of at most 128 MiB).
  MemoryPlan plan_memory(const Program& program, const DeviceInfo* device) const override {
    const LayoutLimits limits = device == nullptr ? LayoutLimits::guaranteed() : LayoutLimits::of(device->limits);
    const WeightLayout layout = lay_out_weights(list_stored(program), limits);
    MemoryPlan plan = plan_without_weights(program);
    plan.weights = layout.total_bytes();
    plan.slices = std::ssize(layout.slices);
    plan.allocations = std::ssize(layout.shard_bytes);
    return plan;
  }

  std::unique_ptr<Engine> load(const Program& program, const DeviceInfo& chosen,
                               const LoadOptions& options) const override {
    if (options.threads != 0) {
      throw Error(ErrorKind::rejected, fmt::format("threads are of the device cpu, and {} is none", chosen.name));
    }
    auto device = Device::open(chosen.index, with_test_limits(options.limits));
    if (device->info().name != chosen.name) {
      throw Error(ErrorKind::device,
                  fmt::format("device {} was {} and is {}: run again", chosen.index, chosen.name, device->info().name));
    }
    check_memory(program, plan_memory(program, &device->info()), device->info());
    if (options.profile && !device->physical().timestamps) {
      throw Error(ErrorKind::device,
                  fmt::format("{} has no timestamps, which a profile is made of", device->info().name));
    }
    const HostWeights weights = open_weights(program, options);
    if (options.profile) return std::make_unique<MeasuredEngine>(program, std::move(device), weights, options);
    if (options.probe_layers) return std::make_unique<ProbedVulkanEngine>(program, std::move(device), weights, options);
    return std::make_unique<VulkanEngine>(program, std::move(device), weights, options);
  }

  std::optional<PipelineCacheFile> find_pipeline_cache(const Program& program,
                                                       const DeviceInfo& device) const override {
    const auto instance = Instance::create();
    if (!instance) return std::nullopt;
    for (const PhysicalDevice& physical : list_physical_devices(*instance)) {
      if (physical.info.index != device.index) continue;
      const auto path = pipeline_cache_path(physical, program);
      if (!path) return std::nullopt;
      std::error_code absent;
      const std::uintmax_t bytes = std::filesystem::file_size(*path, absent);
      return PipelineCacheFile{path->string(), absent ? 0 : static_cast<std::int64_t>(bytes)};
    }
    return std::nullopt;
  }
};

}  // namespace

const Backend& backend() {
  static const VulkanBackend backend;
  return backend;
}

}  // namespace monomorph::vulkan
