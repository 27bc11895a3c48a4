#include "tests/gpu_compile/null_device.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/pipelines.hpp"
#include "tests/support/vulkan_check.hpp"

namespace monomorph::tests {

using namespace vulkan;

namespace {

constexpr const char* manifest = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

using test::check;

/// The only value that RADV gives figures as is an unsigned integer.
std::int64_t value_of(const VkPipelineExecutableStatisticKHR& statistic) {
  if (statistic.format != VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR) {
    throw std::runtime_error(std::string(statistic.name) + " is not an unsigned integer");
  }
  return static_cast<std::int64_t>(statistic.value.u64);
}

}  // namespace

bool radv_installed() { return std::filesystem::exists(manifest); }

NullDevice::NullDevice(const std::string& family) {
  setenv("VK_ICD_FILENAMES", manifest, 1);
  setenv("VK_DRIVER_FILES", manifest, 1);
  setenv("RADV_FORCE_FAMILY", family.c_str(), 1);
  instance_ = vulkan::Instance::create();
  if (!instance_) throw std::runtime_error("RADV is installed and gives no instance");
  const std::vector<vulkan::PhysicalDevice> devices = vulkan::list_physical_devices(*instance_);
  if (devices.size() != 1) throw std::runtime_error("RADV has no null device for " + family);
  const vulkan::PhysicalDevice& physical = devices.front();
  subgroup_size_control_ = physical.subgroup_size_control;
  facts_ = vulkan::facts_of(physical);

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = physical.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR figures{};
  figures.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
  figures.pipelineExecutableInfo = VK_TRUE;
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  subgroups.pNext = &figures;
  subgroups.subgroupSizeControl = subgroup_size_control_;
  subgroups.computeFullSubgroups = subgroup_size_control_;
  std::vector<const char*> extensions = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME};
  for (const std::string& extension : physical.extensions) extensions.push_back(extension.c_str());
  VkDeviceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &subgroups;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  check(vkCreateDevice(physical.handle, &create, nullptr, &device_), "vkCreateDevice");
}

NullDevice::~NullDevice() { vkDestroyDevice(device_, nullptr); }

KernelStatistics NullDevice::compile(std::span<const std::uint32_t> spirv, std::size_t bindings,
                                     const vulkan::Tile& tile) const {
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = spirv.size_bytes();
  module_info.pCode = spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device_, &module_info, nullptr, &module), "vkCreateShaderModule");
  const vulkan::ShaderModuleHandle owned_module(device_, module);

  std::vector<VkDescriptorSetLayoutBinding> places;
  for (std::uint32_t b = 0; b < bindings; ++b) {
    places.push_back({b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  }
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = static_cast<std::uint32_t>(places.size());
  set_info.pBindings = places.data();
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  check(vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set), "vkCreateDescriptorSetLayout");
  const vulkan::DescriptorSetLayoutHandle owned_set(device_, set);

  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(vulkan::PushConstants)};
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &constants;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(vkCreatePipelineLayout(device_, &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
  const vulkan::PipelineLayoutHandle owned_layout(device_, layout);

  const auto values = vulkan::specialization_constants(tile, facts_);
  std::array<VkSpecializationMapEntry, values.size()> entries;
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
  const VkSpecializationInfo specialization{entries.size(), entries.data(), sizeof values, values.data()};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{};
  required.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  required.requiredSubgroupSize = static_cast<std::uint32_t>(facts_.subgroup_size);
  VkComputePipelineCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  create.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = module;
  create.stage.pName = "main";
  create.stage.pSpecializationInfo = &specialization;
  if (subgroup_size_control_) {
    create.stage.pNext = &required;
    create.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  create.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &create, nullptr, &pipeline), "vkCreateComputePipelines");
  const vulkan::PipelineHandle owned_pipeline(device_, pipeline);
  return statistics_of(pipeline);
}

KernelStatistics NullDevice::statistics_of(VkPipeline pipeline) const {
  const auto get_statistics = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
      vkGetInstanceProcAddr(instance_->get(), "vkGetPipelineExecutableStatisticsKHR"));
  VkPipelineExecutableInfoKHR executable{};
  executable.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
  executable.pipeline = pipeline;
  std::uint32_t count = 0;
  check(get_statistics(device_, &executable, &count, nullptr), "vkGetPipelineExecutableStatisticsKHR");
  VkPipelineExecutableStatisticKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::vector<VkPipelineExecutableStatisticKHR> said(count, empty);
  check(get_statistics(device_, &executable, &count, said.data()), "vkGetPipelineExecutableStatisticsKHR");
  std::map<std::string, std::int64_t> by_name;
  for (const VkPipelineExecutableStatisticKHR& statistic : said) by_name[statistic.name] = value_of(statistic);

  const auto figure = [&](const char* name) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) throw std::runtime_error(std::string("RADV says nothing of '") + name + "'");
    return found->second;
  };
  return {figure("VGPRs"),        figure("SGPRs"),    figure("Spilled VGPRs"),      figure("Spilled SGPRs"),
          figure("Scratch size"), figure("LDS size"), figure("Subgroups per SIMD"), figure("Code size")};
}

}  // namespace monomorph::tests
