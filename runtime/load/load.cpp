#include "runtime/load/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/cpu/cores.hpp"
#include "runtime/cpu/views.hpp"
#include "runtime/formats/config_facts.hpp"
#include "runtime/load/memory_plan.hpp"
#include "runtime/reference/reference_engine.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/engine.hpp"
#include "runtime/vulkan/pipeline_cache.hpp"
#include "runtime/vulkan/test_limits.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph {

namespace {

DeviceInfo processor_of(const Program& program, std::int64_t index) {
  DeviceInfo processor = cpu::describe_processor(index);
  if (program.cpu_kernels.empty()) processor.unusable = fmt::format("{} has no kernels for it", program.name);
  return processor;
}

void mark_chosen(std::vector<DeviceInfo>& devices) {
  for (DeviceInfo& device : devices) device.chosen = false;
  const bool usable = std::ranges::any_of(devices, [](const DeviceInfo& device) { return device.unusable.empty(); });
  if (usable) devices[vulkan::choose_device(devices, "")].chosen = true;
}

}  // namespace

std::vector<DeviceInfo> list_vulkan_devices() {
  const auto instance = vulkan::Instance::create();
  if (!instance) return {};
  std::vector<DeviceInfo> devices;
  for (vulkan::PhysicalDevice& device : vulkan::list_physical_devices(*instance)) {
    devices.push_back(std::move(device.info));
  }
  mark_chosen(devices);
  return devices;
}

std::vector<DeviceInfo> list_devices(const Program& program) {
  std::vector<DeviceInfo> devices = list_vulkan_devices();
  devices.push_back(processor_of(program, std::ssize(devices)));
  mark_chosen(devices);
  return devices;
}

std::optional<PipelineCacheFile> find_pipeline_cache(const Program& program, const DeviceInfo& device) {
  const auto instance = vulkan::Instance::create();
  if (!instance) return std::nullopt;
  for (const vulkan::PhysicalDevice& physical : vulkan::list_physical_devices(*instance)) {
    if (physical.info.index != device.index) continue;
    const auto path = vulkan::pipeline_cache_path(physical, program);
    if (!path) return std::nullopt;
    std::error_code absent;
    const std::uintmax_t bytes = std::filesystem::file_size(*path, absent);
    return PipelineCacheFile{path->string(), absent ? 0 : static_cast<std::int64_t>(bytes)};
  }
  return std::nullopt;
}

namespace {

/// What the config of the weights says against the program's facts.
void check_config(const Program& program, const LoadOptions& options) {
  if (options.random_weights) return;
  const std::optional<WeightsConfig> config = find_config(options.weights_path);
  if (!config) return;
  const std::string name(program.name);
  ConfigComparison comparison;
  if (!options.ignore_config) {
    comparison = compare_config(*config, program.config_facts, program.num_hidden_layers, name);
  }
  if (!comparison.compared && options.note) {
    const std::string& architecture = comparison.architecture;
    options.note(fmt::format("{} is not compared: {}; it may ask for other {}", config->name,
                             options.ignore_config ? "--ignore-config"
                             : architecture.empty()
                                 ? "it names no architecture"
                                 : fmt::format("it names {}, which this engine has no facts of", architecture),
                             config_decides));
  }
  if (comparison.differences.empty()) return;
  std::string message = fmt::format("{} asks for another model than {} is:", config->name, name);
  for (const ConfigDifference& difference : comparison.differences) message += "\n  " + difference.message;
  throw Error(ErrorKind::rejected, message +
                                       "\nbuild an engine from it, or take the weights with --ignore-config "
                                       "where it is the file that is wrong");
}

constexpr std::int64_t most_threads = 1024;

std::unique_ptr<Engine> load_on_processor(const Program& program, const LoadOptions& options,
                                          const DeviceInfo& processor, HostWeights weights) {
  if (options.threads < 0 || options.threads > most_threads) {
    throw Error(ErrorKind::rejected,
                fmt::format("{} threads: there may be 1 to {}, or 0 for as many as there are cores", options.threads,
                            most_threads));
  }
  if (!processor.unusable.empty()) {
    throw Error(ErrorKind::device, fmt::format("device '{}' cannot be used: {}", processor.name, processor.unusable));
  }
  MemoryPlan plan = plan_memory(program, processor);
  if (options.random_weights) plan.weights += std::exchange(plan.mapped, 0);  // there is no file
  check_memory(program, plan, processor);
  if (options.profile) return std::make_unique<cpu::MeasuredCpuEngine>(program, std::move(weights), options);
  if (options.probe_layers) return std::make_unique<cpu::ProbedCpuEngine>(program, std::move(weights), options);
  return std::make_unique<cpu::CpuEngine>(program, std::move(weights), options);
}

}  // namespace

std::unique_ptr<Engine> load_engine(const Program& program, const LoadOptions& options) {
  if (options.profile && options.probe_layers) {
    throw Error(ErrorKind::internal, "an engine is either profiled or probed");
  }
  check_config(program, options);
  const auto open_weights = [&] {
    return options.random_weights ? HostWeights::random(program, options.random_seed)
                                  : HostWeights::open(program, options.weights_path);
  };
  if (options.device == "reference") {
    if (options.profile || options.probe_layers) {
      throw Error(ErrorKind::environment, "--device reference has neither kernels to profile nor layers to probe");
    }
    return std::make_unique<ReferenceEngine>(program, open_weights());
  }
  const DeviceInfo processor = processor_of(program, 0);
  std::unique_ptr<vulkan::Device> device;
  if (options.device != processor.name) {
    device = vulkan::Device::open(options.device, vulkan::with_test_limits(options.limits), {&processor, 1});
  }
  if (device == nullptr) return load_on_processor(program, options, processor, open_weights());
  if (options.threads != 0) {
    throw Error(ErrorKind::rejected, fmt::format("threads are of the device cpu, and {} is none", device->info().name));
  }
  check_memory(program, plan_memory(program, device->info()), device->info());
  if (options.profile && !device->physical().timestamps) {
    throw Error(ErrorKind::device,
                fmt::format("{} has no timestamps, which a profile is made of", device->info().name));
  }
  const HostWeights weights = open_weights();
  if (options.profile) return std::make_unique<vulkan::MeasuredEngine>(program, std::move(device), weights, options);
  if (options.probe_layers) {
    return std::make_unique<vulkan::ProbedVulkanEngine>(program, std::move(device), weights, options);
  }
  return std::make_unique<vulkan::VulkanEngine>(program, std::move(device), weights, options);
}

}  // namespace monomorph
