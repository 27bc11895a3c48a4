// A first dispatch of each kernel, over nothing: some drivers compile a kernel only there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/vulkan/descriptors.hpp"
#include "runtime/vulkan/empty_dispatch.hpp"
#include "runtime/vulkan/pipelines.hpp"
#include "runtime/vulkan/schedule.hpp"

namespace monomorph::vulkan {

class WarmUp {
 public:
  /// All outlive it.
  WarmUp(const Device& device, std::span<const Schedule* const> schedules, const std::vector<Pipeline>& pipelines,
         const DescriptorSets& sets);

  /// Kernels in the order in which the schedules first use them. Those of phases that no pass takes are not among them.
  const std::vector<std::size_t>& order() const { return order_; }

  /// Dispatches a kernel of the order whose pipeline is made, and waits.
  void dispatch(std::size_t kernel);

 private:
  const std::vector<Pipeline>& pipelines_;
  const DescriptorSets& sets_;
  std::vector<const Command*> commands_;  ///< by kernel: the first that is of it; unused: null
  std::vector<std::size_t> order_;
  EmptyDispatch dispatch_;
};

}  // namespace monomorph::vulkan
