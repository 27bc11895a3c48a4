// Descriptor sets: one for each kernel and list of places, written once at load.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/vulkan/pipelines.hpp"
#include "runtime/vulkan/schedule.hpp"
#include "runtime/vulkan/storage.hpp"

namespace monomorph::vulkan {

class DescriptorSets {
 public:
  /// Sets for every command of the schedules.
  DescriptorSets(const Device& device, const Storage& storage, const std::vector<Pipeline>& pipelines,
                 std::span<const Schedule* const> schedules);
  VkDescriptorSet of(const Command& command) const { return sets_.at({command.kernel, command.arguments}); }

 private:
  DescriptorPoolHandle pool_;
  std::map<std::pair<std::int32_t, std::vector<Place>>, VkDescriptorSet> sets_;
};

}  // namespace monomorph::vulkan
