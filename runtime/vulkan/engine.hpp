// The engine on a Vulkan device. Loading allocates, uploads and records; afterwards nothing is allocated, but what
// moves states once the first slot is copied or saved, and no descriptor written: a call writes the step, submits
// recordings and waits.
#pragma once

#include <memory>
#include <vector>

#include "runtime/engine/load_options.hpp"
#include "runtime/engine/pass_engine.hpp"
#include "runtime/engine/views.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/recordings.hpp"
#include "runtime/vulkan/slot_states.hpp"

namespace monomorph::vulkan {

class VulkanEngine : public PassEngine {
 public:
  /// `program` outlives the engine.
  VulkanEngine(const Program& program, std::unique_ptr<Device> device, const HostWeights& weights,
               const LoadOptions& options);
  ~VulkanEngine() override;

 protected:
  void submit(std::span<const Work> work) override;
  std::vector<float> read_hidden_states(std::int64_t rows) override;
  std::int64_t most_ahead() const override { return measured_ ? 1 : program_.decode_steps; }

  StatesOwner states_owner() const override { return {invariant_ ? "invariant vulkan" : "vulkan", weights_}; }
  void copy_states(const HeldStates& from, std::int64_t to) override;
  std::vector<std::byte> save_states(const HeldStates& held) override;
  void restore_states(const HeldStates& held, std::span<const std::int32_t> source,
                      std::span<const std::int32_t> tokens, std::span<const std::byte> bytes) override;

  std::unique_ptr<Device> device_;
  Storage storage_;
  HostState state_;
  Recordings recordings_;
  FenceHandle fence_;
  KernelTotals totals_;
  const bool measured_, invariant_;

 private:
  SlotStates& slot_states();
  const Recording& recording_of(const Work& work) const;
  void collect(const Work& work);
  std::vector<std::int64_t> entries_of_bank(const Measured& measured, std::int64_t rows) const;

  const std::uint64_t weights_;  ///< their fingerprint
  std::unique_ptr<SlotStates> slot_states_;
  std::vector<VkCommandBuffer> submission_;
  std::vector<std::uint64_t> ticks_;
};

/// The engine under LoadOptions::profile.
class MeasuredEngine final : public VulkanEngine, public ProfiledEngine {
 public:
  using VulkanEngine::VulkanEngine;
  void reset_profile() override { totals_.reset(); }
  std::vector<KernelProfile> profile() const override { return totals_.totals(); }
};

/// The engine under LoadOptions::probe_layers.
class ProbedVulkanEngine final : public VulkanEngine, public ProbedEngine {
 public:
  using VulkanEngine::VulkanEngine;
  std::vector<std::vector<float>> probe(std::span<const Run> runs) override;
  std::vector<std::vector<float>> probe_sources(std::span<const Source> sources) override;

 private:
  void run_encode(std::span<const Source> sources) override;
  /// Appends to each layer's what the last pass left of `rows` rows of it.
  void take_probes(std::int64_t rows, std::int64_t columns, std::vector<std::vector<float>>& layers) const;

  std::vector<std::vector<float>> source_layers_;  ///< of the sources that are being read
};

}  // namespace monomorph::vulkan
