// Small things every recording needs.
#pragma once

#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/functions.hpp"

namespace monomorph::vulkan {

CommandPoolHandle make_command_pool(const Device& device);
FenceHandle make_fence(const Device& device);
/// Freed with its pool.
VkCommandBuffer allocate_command_buffer(const Device& device, VkCommandPool pool);
void begin_commands(VkCommandBuffer commands, VkCommandBufferUsageFlags usage);

/// Orders all shader and transfer work before with all after it.
void full_barrier(VkCommandBuffer commands);
/// Orders shader work alone: between dispatches.
void shader_barrier(VkCommandBuffer commands);
/// What the device wrote can be read on the host once the submission's fence is signalled.
void host_barrier(VkCommandBuffer commands);

}  // namespace monomorph::vulkan
