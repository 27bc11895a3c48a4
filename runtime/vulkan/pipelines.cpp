#include "runtime/vulkan/pipelines.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "runtime/error.hpp"
#include "runtime/vulkan/on_all_cores.hpp"
#include "runtime/vulkan/pipeline_cache.hpp"
#include "runtime/vulkan/result.hpp"
#include "runtime/vulkan/spare_devices.hpp"

namespace monomorph::vulkan {
namespace {

ShaderModuleHandle make_module(const Device& device, const Kernel& kernel) {
  if (kernel.spirv.size() < 20 || kernel.spirv.size() % 4 != 0) {
    throw Error(ErrorKind::internal,
                fmt::format("kernel {}: {} bytes are no SPIR-V", kernel.name, kernel.spirv.size()));
  }
  // Emitted arrays of bytes need not be aligned as Vulkan wants words.
  std::vector<std::uint32_t> words(kernel.spirv.size() / 4);
  std::copy(kernel.spirv.begin(), kernel.spirv.end(), std::as_writable_bytes(std::span(words)).begin());
  VkShaderModuleCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  create.codeSize = kernel.spirv.size();
  create.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device.get(), &create, nullptr, &module), "vkCreateShaderModule");
  device.name(VK_OBJECT_TYPE_SHADER_MODULE, module, kernel.name);
  return {device.get(), module};
}

}  // namespace

Pipeline make_layouts(const Device& device, const Kernel& kernel) {
  Pipeline pipeline;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::uint32_t b = 0; b < kernel.bindings.size(); ++b) {
    bindings.push_back({b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<std::uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  check(vkCreateDescriptorSetLayout(device.get(), &set, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  pipeline.set_layout = DescriptorSetLayoutHandle(device.get(), set_layout);

  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(PushConstants)};
  VkPipelineLayoutCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  create.setLayoutCount = 1;
  create.pSetLayouts = &set_layout;
  create.pushConstantRangeCount = 1;
  create.pPushConstantRanges = &constants;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(vkCreatePipelineLayout(device.get(), &create, nullptr, &layout), "vkCreatePipelineLayout");
  pipeline.layout = PipelineLayoutHandle(device.get(), layout);
  return pipeline;
}

void make_pipeline(const Device& device, const Kernel& kernel, const DeviceFacts& facts, const Tile& chosen,
                   VkPipelineCache cache, Pipeline& pipeline) {
  if (chosen.workgroup_size > device.limits().max_workgroup_invocations ||
      chosen.workgroup_size > device.limits().max_workgroup_size_x) {
    throw Error(ErrorKind::device,
                fmt::format("kernel {} needs workgroups of {}; {} allows {}", kernel.name, chosen.workgroup_size,
                            device.info().name, device.limits().max_workgroup_invocations));
  }
  if (const std::int64_t needed = shared_memory_bytes(kernel.kind, chosen); needed > facts.max_shared_memory) {
    throw Error(ErrorKind::device, fmt::format("kernel {} needs {} bytes of shared memory; {} allows {}", kernel.name,
                                               needed, device.info().name, facts.max_shared_memory));
  }
  const ShaderModuleHandle module = make_module(device, kernel);

  const auto constants = specialization_constants(chosen, facts);
  std::array<VkSpecializationMapEntry, constants.size()> entries;
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
  VkSpecializationInfo specialization{};
  specialization.mapEntryCount = static_cast<std::uint32_t>(entries.size());
  specialization.pMapEntries = entries.data();
  specialization.dataSize = sizeof constants;
  specialization.pData = constants.data();

  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{};
  required.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  required.requiredSubgroupSize = static_cast<std::uint32_t>(facts.subgroup_size);
  VkComputePipelineCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = module.get();
  create.stage.pName = "main";
  create.stage.pSpecializationInfo = &specialization;
  if (device.physical().subgroup_size_control) {
    create.stage.pNext = &required;
    create.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  create.layout = pipeline.layout.get();
  VkPipeline handle = VK_NULL_HANDLE;
  const std::string call = fmt::format("vkCreateComputePipelines (kernel {})", kernel.name);
  check(vkCreateComputePipelines(device.get(), cache, 1, &create, nullptr, &handle), call.c_str());
  pipeline.pipeline = PipelineHandle(device.get(), handle);
  device.name(VK_OBJECT_TYPE_PIPELINE, handle, kernel.name);
}

DeviceFacts facts_of(const PhysicalDevice& device) {
  DeviceFacts facts;
  facts.type = device.info.type;
  facts.subgroup_size = preferred_subgroup_size(device.vendor, device.info.subgroup_size, device.min_subgroup_size,
                                                device.max_subgroup_size);
  facts.max_workgroup_invocations =
      std::min(device.info.limits.max_workgroup_invocations, device.info.limits.max_workgroup_size_x);
  if (device.max_workgroup_subgroups > 0) {
    facts.max_workgroup_invocations =
        std::min(facts.max_workgroup_invocations, device.max_workgroup_subgroups * facts.subgroup_size);
  }
  facts.max_shared_memory = device.info.limits.max_shared_memory;
  facts.max_tile_rows = device.info.limits.max_tile_rows;
  facts.max_tile_tokens = device.info.limits.max_tile_tokens;
  return facts;
}

std::vector<Pipeline> make_layouts(const Device& device, const Program& program) {
  std::vector<Pipeline> pipelines;
  for (const Kernel& kernel : program.kernels) pipelines.push_back(make_layouts(device, kernel));
  return pipelines;
}

void make_pipelines(const Device& device, const Program& program, const DeviceFacts& facts,
                    const std::vector<Tile>& tiles, const std::vector<std::size_t>& order,
                    std::vector<Pipeline>& pipelines, const std::function<void(std::size_t)>& made) {
  PipelineCache cache(device, program, threads_for(order.size()));
  std::optional<SpareDevices> spares;
  if (SpareDevices::help(device)) spares.emplace(device, threads_for(order.size()));
  const auto make = [&](std::size_t i, std::size_t thread) {
    const std::size_t kernel = order[i];
    make_pipeline(device, program.kernels[kernel], facts, tiles[kernel], cache.of(thread), pipelines[kernel]);
    if (spares) spares->compile(program.kernels[kernel], facts, tiles[kernel], thread);
  };
  on_all_cores(order.size(), make, [&](std::size_t i) { made(order[i]); });
  cache.save();
}

}  // namespace monomorph::vulkan
