// Compute pipelines of a program's kernels, specialized for the device.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

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

/// One for each kernel, in their order: what descriptor sets are made of, and no pipeline yet.
std::vector<Pipeline> make_layouts(const Device& device, const Program& program);

/// The layouts of one kernel, and its pipeline. Pipelines of several may be made at once, each with a cache of its own.
Pipeline make_layouts(const Device& device, const Kernel& kernel);
void make_pipeline(const Device& device, const Kernel& kernel, const DeviceFacts& facts, const Tile& chosen,
                   VkPipelineCache cache, Pipeline& pipeline);

/// Makes the pipelines themselves, through the cache on disk, on all cores: begun in `order`, which names no kernel
/// twice. `made` hears of each in the caller's thread, in the order in which they are done. Throws what it throws, and
/// Error(device) where a kernel needs more than the device has.
void make_pipelines(const Device& device, const Program& program, const DeviceFacts& facts,
                    const std::vector<Tile>& tiles, const std::vector<std::size_t>& order,
                    std::vector<Pipeline>& pipelines, const std::function<void(std::size_t kernel)>& made);

}  // namespace monomorph::vulkan
