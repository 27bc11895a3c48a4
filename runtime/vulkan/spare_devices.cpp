#include "runtime/vulkan/spare_devices.hpp"

#include <cstdlib>
#include <string_view>

#include "runtime/error.hpp"
#include "runtime/vulkan/empty_dispatch.hpp"
#include "runtime/vulkan/memory.hpp"
#include "runtime/vulkan/result.hpp"

namespace monomorph::vulkan {
namespace {

/// A set of so many bindings, all of them the same buffer, and its pool.
struct AnySet {
  DescriptorPoolHandle pool;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

AnySet bind_all(const Device& device, const Pipeline& pipeline, std::uint32_t bindings, const Buffer& buffer) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bindings};
  VkDescriptorPoolCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  create.maxSets = 1;
  create.poolSizeCount = 1;
  create.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  check(vkCreateDescriptorPool(device.get(), &create, nullptr, &pool), "vkCreateDescriptorPool");
  AnySet any{DescriptorPoolHandle(device.get(), pool)};

  const VkDescriptorSetLayout layout = pipeline.set_layout.get();
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  check(vkAllocateDescriptorSets(device.get(), &allocate, &any.set), "vkAllocateDescriptorSets");

  const VkDescriptorBufferInfo whole{buffer.get(), 0, VK_WHOLE_SIZE};
  const std::vector<VkDescriptorBufferInfo> buffers(bindings, whole);
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = any.set;
  write.descriptorCount = bindings;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  vkUpdateDescriptorSets(device.get(), 1, &write, 0, nullptr);
  return any;
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0" && std::string_view(value) != "false";
}

}  // namespace

class SpareDevices::Spare {
 public:
  explicit Spare(const Device& device)
      : device_(Device::beside(device)),
        buffer_(*device_, 256, choose_memory_types(*device_).device, false, "nothing"),
        dispatch_(*device_) {}

  void compile(const Kernel& kernel, const DeviceFacts& facts, const Tile& tile) {
    Pipeline pipeline = make_layouts(*device_, kernel);
    make_pipeline(*device_, kernel, facts, tile, VK_NULL_HANDLE, pipeline);
    const AnySet any = bind_all(*device_, pipeline, static_cast<std::uint32_t>(kernel.bindings.size()), buffer_);
    dispatch_.run(pipeline, any.set);
  }

 private:
  std::unique_ptr<Device> device_;
  Buffer buffer_;
  EmptyDispatch dispatch_;
};

bool SpareDevices::help(const Device& device) {
  return device.physical().compiles_at_dispatch && !is_set("MESA_SHADER_CACHE_DISABLE") &&
         !is_set("MONOMORPH_NO_CACHE");
}

SpareDevices::SpareDevices(const Device& device, std::size_t threads) {
  try {
    while (spares_.size() < threads) spares_.push_back(std::make_unique<Spare>(device));
  } catch (const Error&) {
    spares_.resize(threads);
  }
}

SpareDevices::~SpareDevices() = default;

void SpareDevices::compile(const Kernel& kernel, const DeviceFacts& facts, const Tile& tile, std::size_t thread) {
  if (spares_[thread] == nullptr) return;
  try {
    spares_[thread]->compile(kernel, facts, tile);
  } catch (const Error&) {
  }
}

}  // namespace monomorph::vulkan
