#include "runtime/load/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/engine/device_choice.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/config_facts.hpp"
#include "runtime/reference/reference_engine.hpp"

namespace monomorph {
namespace {

/// The devices of all backends; where `asked` names one, its devices alone: no other is asked.
std::vector<DeviceInfo> list(const Program& program, std::string_view asked) {
  std::vector<DeviceInfo> devices;
  for (const Backend* const backend : program.backends) {
    if (!asked.empty() && backend->name() != asked) continue;
    std::vector<DeviceInfo> listed;
    try {
      listed = backend->list_devices();
    } catch (const Error& error) {
      // A driver that fails is as good as none, where there is another backend and this one was not asked for.
      if (error.kind() != ErrorKind::device || !asked.empty() || program.backends.size() == 1) throw;
    }
    for (DeviceInfo& device : listed) {
      device.index = std::ssize(devices);
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

/// The backend of this name. Throws Error(device) where the engine was built without it.
const Backend& backend_of(const Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.backends, name, &Backend::name);
  if (found != program.backends.end()) return **found;
  throw Error(ErrorKind::device,
              fmt::format("{} was built without the device {}, for {} alone: build it with \"{}\" in engine.devices",
                          program.name, name, program.backends.front()->name(), name));
}

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

}  // namespace

std::vector<DeviceInfo> list_devices(const Program& program) {
  std::vector<DeviceInfo> devices = list(program, "");
  const bool usable = std::ranges::any_of(devices, [](const DeviceInfo& device) { return device.unusable.empty(); });
  if (usable) devices[choose_device(devices, "")].chosen = true;
  return devices;
}

DeviceInfo find_device(const Program& program, const std::string& request) {
  const std::string_view asked = backend_named(request);
  if (!asked.empty()) backend_of(program, asked);
  std::vector<DeviceInfo> devices = list(program, asked);
  for (const Backend* const backend : program.backends) {
    const std::string trouble = devices.empty() ? backend->trouble() : "";
    if (!trouble.empty()) {
      throw Error(ErrorKind::device, fmt::format("there is no device of {}: {}", backend->name(), trouble));
    }
  }
  return std::move(devices[choose_device(devices, request)]);
}

MemoryPlan plan_memory(const Program& program, const std::optional<DeviceInfo>& device) {
  return device ? backend_of(program, device->backend).plan_memory(program, &*device)
                : program.backends.front()->plan_memory(program, nullptr);
}

std::optional<PipelineCacheFile> find_pipeline_cache(const Program& program, const DeviceInfo& device) {
  return backend_of(program, device.backend).find_pipeline_cache(program, device);
}

std::unique_ptr<Engine> load_engine(const Program& program, const LoadOptions& options) {
  if (options.profile && options.probe_layers) {
    throw Error(ErrorKind::internal, "an engine is either profiled or probed");
  }
  check_config(program, options);
  if (options.device != "reference") {
    const DeviceInfo device = find_device(program, options.device);
    return backend_of(program, device.backend).load(program, device, options);
  }
  if (options.profile || options.probe_layers) {
    throw Error(ErrorKind::environment, "--device reference has neither kernels to profile nor layers to probe");
  }
  return std::make_unique<ReferenceEngine>(program, open_weights(program, options));
}

}  // namespace monomorph
