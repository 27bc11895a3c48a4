// Compute pipelines of a program's kernels, specialized for the device.
#pragma once

#include <vector>

#include "runtime/engine/load_options.hpp"
#include "runtime/program/program.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/tuning.hpp"

namespace monomorph::vulkan {

struct PushConstants {
  std::uint32_t first_row;
  std::uint32_t row_count;
};

struct Pipeline {
  DescriptorSetLayoutHandle set_layout;
  PipelineLayoutHandle layout;
  PipelineHandle pipeline;
};

/// What kernels are specialized for.
DeviceFacts facts_of(const PhysicalDevice& device);

/// One for each kernel, in their order, through the pipeline cache on disk. Throws Error(device) where a kernel needs
/// more than the device has. `made` may be empty.
std::vector<Pipeline> make_pipelines(const Device& device, const Program& program, const DeviceFacts& facts,
                                     const std::vector<Tile>& tiles, const LoadProgress& made);

}  // namespace monomorph::vulkan
