// The engine that `--device cpu` runs: the emitted CPU reference behind the interface of runtime/engine.hpp. It needs
// no driver, computes in double, and rounds logits to float where the device has floats, so that it samples as a device
// does.
#pragma once

#include <memory>
#include <vector>

#include "runtime/engine.hpp"
#include "runtime/program.hpp"
#include "runtime/weights.hpp"

namespace monomorph {

/// `program` outlives the engine.
class ReferenceEngine final : public Engine {
 public:
  ReferenceEngine(const Program& program, HostWeights weights);

  void reset() override { position_ = 0; }
  std::int64_t position() const override { return position_; }
  std::span<const float> prefill(std::span<const std::int32_t> tokens) override;
  void prefill_all(std::span<const std::int32_t> tokens,
                   const std::function<void(std::span<const float>)>& row) override;
  std::span<const float> decode(std::int32_t token) override;
  Generation generate(std::span<const std::int32_t> prompt, std::int64_t count, const Sampling& sampling,
                      const std::function<bool(std::int32_t)>& token) override;

  /// Appends `tokens` and gives each layer's output, [layers][tokens x hidden_size]: what `verify` compares.
  std::vector<std::vector<double>> hidden_states(std::span<const std::int32_t> tokens);

 private:
  void append(std::span<const std::int32_t> tokens, const std::function<void(std::span<const float>)>& row,
              std::vector<std::vector<double>>* hidden_states);

  const Program& program_;
  HostWeights weights_;
  std::unique_ptr<Reference> reference_;
  std::int64_t position_ = 0;
  std::vector<float> logits_;  ///< of the last token
};

}  // namespace monomorph
