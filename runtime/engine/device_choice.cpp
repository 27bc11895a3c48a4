#include "runtime/engine/device_choice.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "runtime/engine/backend.hpp"
#include "runtime/error.hpp"

namespace monomorph {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool is_index(const std::string& request) {
  return !request.empty() &&
         std::all_of(request.begin(), request.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::string list(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& device : devices) {
    text += fmt::format("\n  {}: {} ({})", device.index, device.name, to_string(device.type));
    if (!device.unusable.empty()) text += ", unusable: " + device.unusable;
  }
  return text;
}

/// Without a Vulkan device that can be used.
constexpr const char* remedy =
    "install a driver (on Debian: apt install mesa-vulkan-drivers, which has one for the CPU too), or run on the "
    "processor, which needs none: --device cpu, of an engine whose engine.devices has \"cpu\"";

}  // namespace

std::string_view backend_named(const std::string& request) {
  const auto found = std::ranges::find(backend_names, lower(request));
  return found == backend_names.end() ? std::string_view() : *found;
}

std::size_t choose_device(const std::vector<DeviceInfo>& devices, const std::string& request) {
  if (devices.empty()) throw Error(ErrorKind::device, fmt::format("there is no Vulkan device: {}", remedy));

  std::vector<std::size_t> candidates;
  if (is_index(request)) {
    // Digits alone never are a part of a name, and those too many to read are no index of anything.
    std::size_t index = devices.size();
    std::from_chars(request.data(), request.data() + request.size(), index);
    if (index >= devices.size()) {
      throw Error(ErrorKind::device, fmt::format("there is no device {}; there are:{}", request, list(devices)));
    }
    candidates.push_back(index);
  } else if (const std::string_view asked = backend_named(request); !asked.empty()) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].backend == asked) candidates.push_back(i);
    }
    if (candidates.empty()) throw Error(ErrorKind::device, fmt::format("there is no Vulkan device: {}", remedy));
  } else {
    const bool called = std::ranges::count(devices, request, &DeviceInfo::name) > 0;  // so, and no longer
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (called && devices[i].name != request) continue;
      if (lower(devices[i].name).find(lower(request)) != std::string::npos) candidates.push_back(i);
    }
    if (candidates.empty()) {
      throw Error(ErrorKind::device,
                  fmt::format("no device's name contains '{}'; there are:{}", request, list(devices)));
    }
  }
  std::vector<std::size_t> usable;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(usable),
               [&](std::size_t i) { return devices[i].unusable.empty(); });
  if (usable.empty() && !request.empty()) {
    throw Error(ErrorKind::device, fmt::format("device '{}' cannot be used: {}; there are:{}", request,
                                               devices[candidates.front()].unusable, list(devices)));
  }
  if (usable.empty()) {
    throw Error(ErrorKind::device,
                fmt::format("there is no usable Vulkan device: {}; there are:{}", remedy, list(devices)));
  }
  return *std::min_element(usable.begin(), usable.end(), [&](std::size_t a, std::size_t b) {
    if (devices[a].type != devices[b].type) return devices[a].type < devices[b].type;
    if (devices[a].memory() != devices[b].memory()) return devices[a].memory() > devices[b].memory();
    return a < b;
  });
}

}  // namespace monomorph
