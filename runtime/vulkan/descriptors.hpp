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
  /// Sets for every step of the phases.
  DescriptorSets(const Device& device, const Storage& storage, const std::vector<Pipeline>& pipelines,
                 std::span<const Phase* const> phases);
  VkDescriptorSet of(const Step& step) const { return sets_.at({step.kernel, step.arguments}); }

 private:
  DescriptorPoolHandle pool_;
  std::map<std::pair<std::int32_t, std::vector<Place>>, VkDescriptorSet> sets_;
};

}  // namespace monomorph::vulkan
