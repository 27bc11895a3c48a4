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
  void run_encode(std::span<const Source> sources) override;
  std::vector<float> read_hidden_states(std::int64_t rows) override;
  std::int64_t most_ahead() const override { return measured_ ? 1 : program_.decode_steps; }

  StatesOwner states_owner() const override { return {invariant_ ? "invariant vulkan" : "vulkan", weights_}; }
  void copy_states(const HeldStates& from, std::int64_t to) override;
  std::vector<std::byte> save_states(const HeldStates& held) override;
  void restore_states(const HeldStates& held, std::span<const std::int32_t> source,
                      std::span<const std::int32_t> tokens, std::span<const std::byte> bytes) override;

  /// Writes a pass over these runs; each that draws has `draws` tokens drawn in the submission.
  void write_pass(std::span<const Run> runs, std::int64_t draws);
  /// A recording that is submitted, and what measured figures count of it: rows of the pass, and its runs, which are
  /// told where the engine is measured.
  struct Work {
    const Recording* recording;
    std::int64_t rows;
    std::vector<PassRun> runs;
  };
  std::vector<PassRun> runs_of_pass() const { return measured_ ? pass_ : std::vector<PassRun>{}; }
  /// Submits and waits.
  void submit(std::span<const Work> work);

  std::unique_ptr<Device> device_;
  Storage storage_;
  HostState state_;
  Recordings recordings_;
  FenceHandle fence_;
  KernelTotals totals_;
  const bool measured_, invariant_;
  const std::int64_t block_;   ///< passes of the longer recording of decoded tokens
  std::vector<PassRun> pass_;  ///< the runs of the pass at hand

 private:
  SlotStates& slot_states();
  void run_passes(std::size_t index, std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits);
  void run_pass(std::size_t index, std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits,
                std::span<std::vector<std::int32_t>> tokens);
  void run_all_logits(std::size_t index, const Run& run, std::int64_t first_row, const OnLogits& on_logits);
  void run_last(std::size_t index, std::span<const Run> runs, std::int64_t draws, const OnLogits& on_logits);
  std::span<const std::int32_t> take_drawn(const Run& run, std::vector<std::int32_t>& tokens);
  void write_run(const Run& run, std::int64_t drawn);
  void write_angles(const Run& run, std::int64_t drawn);
  void write_wanted(std::span<const StepRow> rows, std::int64_t draws);
  void collect(const Work& work);
  std::vector<std::int64_t> entries_of_bank(const Measured& measured, std::int64_t rows) const;

  const std::uint64_t weights_;  ///< their fingerprint
  std::unique_ptr<SlotStates> slot_states_;
  std::vector<VkCommandBuffer> submission_;
  std::vector<Work> work_;
  std::vector<std::uint64_t> ticks_;
  std::vector<std::vector<std::int32_t>> tokens_;  ///< drawn, by run of a step
  std::vector<Drawn> drawn_;
  std::vector<float> frequencies_;
  // Of the pass at hand:
  std::int64_t angle_rows_ = 0;                              ///< written for it and those ahead
  std::vector<PassRun> further_;                             ///< the runs of the passes ahead
  std::vector<StepRow> wanted_;                              ///< rows whose logits are wanted
  std::vector<std::pair<std::size_t, std::int64_t>> shown_;  ///< runs that show logits, and their rows of them
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
