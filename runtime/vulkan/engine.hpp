// The engine on a Vulkan device. Loading allocates, uploads and records; afterwards nothing is allocated, but what
// moves states once the first slot is copied or saved, and no descriptor written: a call writes the step, submits
// recordings and waits.
#pragma once

#include <memory>
#include <vector>

#include "runtime/engine/kernel_totals.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/engine/views.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/recordings.hpp"
#include "runtime/vulkan/slot_states.hpp"

namespace monomorph::vulkan {

class VulkanEngine : public Engine {
 public:
  /// `program` outlives the engine.
  VulkanEngine(const Program& program, std::unique_ptr<Device> device, const HostWeights& weights,
               const LoadOptions& options);
  ~VulkanEngine() override;

 protected:
  std::span<const Drawn> run_step(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits) override;
  std::int64_t most_ahead() const override { return measured_ ? 1 : program_.decode_steps; }

  StatesOwner states_owner() const override { return {"vulkan", weights_}; }
  void copy_states(const HeldStates& from, std::int64_t to) override;
  std::vector<std::byte> save_states(const HeldStates& held) override;
  void restore_states(const HeldStates& held, std::span<const std::int32_t> tokens,
                      std::span<const std::byte> bytes) override;

  /// Writes a run as the step's tokens, its slot being the only one that is live, and the angles of all that the
  /// submission appends: `drawn` tokens after the run's.
  void write_tokens(const Run& run, std::int64_t drawn);
  /// A recording that is submitted, and what measured figures count of it: rows of the pass, from a position on.
  struct Work {
    const Recording* recording;
    std::int64_t rows, position;
  };
  /// Submits and waits.
  void submit(std::span<const Work> work);

  std::unique_ptr<Device> device_;
  Storage storage_;
  HostState state_;
  Recordings recordings_;
  FenceHandle fence_;
  KernelTotals totals_;
  const bool measured_;
  const std::int64_t block_;  ///< passes of the longer recording of decoded tokens

 private:
  SlotStates& slot_states();
  void run_pass(std::size_t index, const Run& run, std::int64_t ahead, const OnLogits& on_logits);
  void run_all_logits(std::size_t index, const Run& run, const OnLogits& on_logits);
  void run_last(std::size_t index, const Run& run, std::int64_t draws, const OnLogits& on_logits);
  std::span<const std::int32_t> take_drawn(const Run& run);
  void write_angles(const Run& run, std::int64_t drawn);
  void wanted_rows(std::int64_t slot, std::int64_t first, std::int64_t count, bool draw);
  void collect(const Work& work);
  std::vector<std::int64_t> entries_of_bank(const Measured& measured, std::int64_t rows) const;

  const std::uint64_t weights_;  ///< their fingerprint
  std::unique_ptr<SlotStates> slot_states_;
  std::vector<VkCommandBuffer> submission_;
  std::vector<Work> work_;
  std::vector<std::uint64_t> ticks_;
  std::vector<std::int32_t> tokens_;  ///< drawn, of all runs of a step
  std::vector<Drawn> drawn_;
  std::vector<float> frequencies_;
  std::int64_t angle_rows_ = 0;  ///< written for the passes at hand
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
  std::vector<std::vector<float>> probe(const Run& run) override;
};

}  // namespace monomorph::vulkan
