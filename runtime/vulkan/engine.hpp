// The engine on a Vulkan device. Loading allocates, uploads and records; afterwards nothing is allocated and no
// descriptor written: a call writes the sequence's state and token ids, submits recordings and waits.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "runtime/load.hpp"
#include "runtime/perf.hpp"
#include "runtime/vulkan/device.hpp"
#include "runtime/vulkan/recordings.hpp"

namespace monomorph::vulkan {

class VulkanEngine : public Engine {
 public:
  /// `program` outlives the engine.
  VulkanEngine(const Program& program, std::unique_ptr<Device> device, const HostWeights& weights,
               const LoadOptions& options);
  ~VulkanEngine() override;

  void reset() override { position_ = 0; }
  std::int64_t position() const override { return position_; }
  std::span<const float> prefill(std::span<const std::int32_t> tokens) override;
  void prefill_all(std::span<const std::int32_t> tokens,
                   const std::function<void(std::span<const float>)>& row) override;
  std::span<const float> decode(std::int32_t token) override;
  Generation generate(std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling,
                      const std::function<bool(std::int32_t)>& token) override;

 protected:
  /// What a call asks for beyond keys and values of its tokens.
  enum class After { head, head_of_each, head_and_sample, probe };
  struct Call {
    After after = After::head;
    const std::function<void(std::span<const float>)>* row = nullptr;  ///< head_of_each
    std::vector<std::vector<float>>* layers = nullptr;                 ///< probe
    SequenceRequest sampling{};                                        ///< head_and_sample
  };
  /// Runs validated `tokens` in chunks and moves the position.
  void append(std::span<const std::int32_t> tokens, const Call& call);
  void read_probes(std::int64_t tokens, std::vector<std::vector<float>>& layers) const;
  SequenceRequest request(std::int64_t seq_len) const;
  void write(const SequenceRequest& request) const;
  /// Submits and waits; `seq_len` tokens are what measured figures count.
  void run(std::span<const Recording* const> work, std::int64_t seq_len);
  void run(std::initializer_list<const Recording*> work, std::int64_t seq_len) {
    run(std::span(work.begin(), work.size()), seq_len);
  }
  std::span<const float> take_logits();

  const Program& program_;
  std::unique_ptr<Device> device_;
  Storage storage_;
  HostState state_;
  Recordings recordings_;
  FenceHandle fence_;
  KernelTotals totals_;
  const bool measured_;
  const std::int64_t block_;  ///< steps in the longer decode recording
  std::int64_t position_ = 0;

 private:
  struct Draw {
    std::int64_t first_position;  ///< of the first token drawn
    std::int64_t count;
    SequenceRequest sampling;
    const std::function<bool(std::int32_t)>& token;
  };
  bool take_drawn(const Draw& draw, Generation& generation);
  void run_steps(const Draw& draw, const Generation& generation);
  void collect(const Recording& recording, std::int64_t seq_len);

  std::vector<VkCommandBuffer> submission_;
  std::vector<const Recording*> steps_;
  std::vector<std::uint64_t> ticks_;
  std::vector<float> logits_;
  double step_seconds_ = 0;  ///< of the last steps; 0: not known yet
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
  std::vector<std::vector<float>> probe_prefill(std::span<const std::int32_t> tokens) override;
  std::vector<std::vector<float>> probe_decode(std::int32_t token) override;
};

}  // namespace monomorph::vulkan
