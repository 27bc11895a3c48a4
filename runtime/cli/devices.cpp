#include <fmt/format.h>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/engine/backend.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/load/load.hpp"

namespace monomorph::cli {
namespace {

Json device_json(const DeviceInfo& device) {
  Json heaps = Json::array();
  for (const MemoryHeap& heap : device.heaps) {
    heaps.push_back(
        Json::object({{"bytes", heap.bytes}, {"available", heap.available}, {"device_local", heap.device_local}}));
  }
  return Json::object({{"index", device.index},
                       {"backend", device.backend},
                       {"name", device.name},
                       {"type", to_string(device.type)},
                       {"driver", device.driver},
                       {"api_version", device.api_version},
                       {"subgroup_size", device.subgroup_size},
                       {"memory_budget", device.memory_budget},
                       {"heaps", std::move(heaps)},
                       {"limits", Json::object({{"max_storage_buffer_range", device.limits.max_storage_buffer_range},
                                                {"max_allocation_size", device.limits.max_allocation_size},
                                                {"storage_offset_alignment", device.limits.storage_offset_alignment},
                                                {"max_workgroup_count_x", device.limits.max_workgroup_count_x},
                                                {"max_workgroup_count_y", device.limits.max_workgroup_count_y},
                                                {"max_workgroup_invocations", device.limits.max_workgroup_invocations},
                                                {"max_workgroup_size_x", device.limits.max_workgroup_size_x},
                                                {"max_shared_memory", device.limits.max_shared_memory}})},
                       {"chosen", device.chosen},
                       {"unusable", device.unusable}});
}

std::string device_text(const DeviceInfo& device) {
  const std::string remark = device.chosen             ? " (taken without --device)"
                             : device.unusable.empty() ? ""
                                                       : ": unusable, " + device.unusable;
  const std::string memory = readable_bytes(static_cast<double>(device.memory()));
  const std::string what =
      device.type == DeviceType::processor
          ? fmt::format("{}, {} of memory", device.driver, memory)
          : fmt::format("{}, Vulkan {}, driver {}, {} of memory, subgroups of {}", to_string(device.type),
                        device.api_version, device.driver, memory, device.subgroup_size);
  return fmt::format("{}  {}{}\n   {}\n", device.index, device.name, remark, what);
}

}  // namespace

void devices(const Program& program, bool json) {
  std::string text;
  Json list = Json::array();
  for (const DeviceInfo& device : list_devices(program)) {
    text += device_text(device);
    list.push_back(device_json(device));
  }
  for (const Backend* const backend : program.backends) {
    const std::string trouble = backend->trouble();
    if (!trouble.empty()) text += fmt::format("{}: {}\n", backend->name(), trouble);
  }
  print(json ? list.dump(2) + "\n" : text);
}

}  // namespace monomorph::cli
