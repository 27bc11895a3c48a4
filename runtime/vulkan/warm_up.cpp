#include "runtime/vulkan/warm_up.hpp"

namespace monomorph::vulkan {

WarmUp::WarmUp(const Device& device, std::span<const Schedule* const> schedules, const std::vector<Pipeline>& pipelines,
               const DescriptorSets& sets)
    : pipelines_(pipelines), sets_(sets), commands_(pipelines.size()), dispatch_(device) {
  for (const Schedule* const schedule : schedules) {
    for (const Command& command : schedule->commands) {
      const auto kernel = static_cast<std::size_t>(command.kernel);
      if (commands_[kernel] != nullptr) continue;
      commands_[kernel] = &command;
      order_.push_back(kernel);
    }
  }
}

void WarmUp::dispatch(std::size_t kernel) { dispatch_.run(pipelines_[kernel], sets_.of(*commands_[kernel])); }

}  // namespace monomorph::vulkan
