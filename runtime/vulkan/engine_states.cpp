// Copies and saved slots of the engine on a Vulkan device.
#include "runtime/engine/validate.hpp"
#include "runtime/vulkan/engine.hpp"

namespace monomorph::vulkan {

SlotStates& VulkanEngine::slot_states() {
  if (!slot_states_) slot_states_ = std::make_unique<SlotStates>(*device_, program_, storage_);
  return *slot_states_;
}

void VulkanEngine::copy_states(const HeldStates& from, std::int64_t to) { slot_states().copy(from, to); }

std::vector<std::byte> VulkanEngine::save_states(const HeldStates& held) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(held_bytes(program_.states, held)));
  if (!bytes.empty()) slot_states().read(held, bytes);
  return bytes;
}

void VulkanEngine::restore_states(const HeldStates& held, std::span<const std::int32_t>, std::span<const std::int32_t>,
                                  std::span<const std::byte> bytes) {
  validate_saved_bytes(program_, held, std::ssize(bytes));
  if (!bytes.empty()) slot_states().write(held, bytes);
}

}  // namespace monomorph::vulkan
