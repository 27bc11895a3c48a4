// The engine that `--device reference` runs: the emitted reference behind the interface of runtime/engine/engine.hpp.
// It needs no driver, computes in double, and rounds logits to float where the device has floats, so that it samples as
// a device does.
#pragma once

#include <memory>
#include <vector>

#include "runtime/engine/engine.hpp"
#include "runtime/program/program.hpp"
#include "runtime/reference/choices.hpp"
#include "runtime/weights/fingerprint.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph {

/// `program` outlives the engine.
class ReferenceEngine final : public Engine {
 public:
  ReferenceEngine(const Program& program, HostWeights weights);

  /// Appends `tokens` to a slot and gives each layer's output, [layers][tokens x hidden_size]: what `verify` compares.
  /// `length`: Run::length.
  std::vector<std::vector<double>> hidden_states(std::span<const std::int32_t> tokens, std::int64_t slot = 0,
                                                 std::int64_t length = 0);
  /// What each of the encoder's layers gives of a slot's source, [layers][tokens x encoder_hidden_size].
  std::vector<std::vector<double>> source_states(std::int64_t slot = 0);
  /// Its mixtures' choices: their margins in the last pass, and those that are made the other way in each.
  reference::Choices& choices() { return choices_; }

 protected:
  std::span<const Drawn> run_step(std::span<const Run> runs, std::int64_t ahead, const OnLogits& on_logits) override;
  void run_encode(std::span<const Source> sources) override;
  std::vector<float> read_hidden_states(std::int64_t rows) override;
  std::int64_t most_ahead() const override { return 1; }
  StatesOwner states_owner() const override { return {"reference", fingerprint(weights_)}; }
  void copy_states(const HeldStates& from, std::int64_t to) override;
  /// The length that each token was run with: tokens are run again when they are restored.
  std::vector<std::byte> save_states(const HeldStates& held) override;
  void restore_states(const HeldStates& held, std::span<const std::int32_t> source,
                      std::span<const std::int32_t> tokens, std::span<const std::byte> bytes) override;

 private:
  /// Appends a run's tokens; gives hidden states of all.
  std::vector<double> append(const Run& run, std::vector<std::vector<double>>* layers);
  /// A pass of the reference over tokens of a slot at `first_position` and after.
  std::vector<double> pass(std::int64_t slot, std::span<const std::int32_t> tokens, std::int64_t first_position,
                           std::int64_t length, std::vector<std::vector<double>>* layers,
                           std::span<const std::int32_t> types = {});
  std::vector<std::int64_t>& lengths_of(std::int64_t slot) { return lengths_[static_cast<std::size_t>(slot)]; }
  void read_source(std::int64_t slot, std::span<const std::int32_t> tokens, std::vector<std::vector<double>>* layers);
  /// Logits of one row of hidden states, rounded.
  std::span<const float> logits_of(std::span<const double> hidden, std::int64_t row);

  HostWeights weights_;
  std::unique_ptr<Reference> reference_;
  reference::Choices choices_;
  std::vector<std::vector<std::int64_t>> lengths_;  ///< of each slot, by position: Run::length of each token's run
  std::vector<double> hidden_;                      ///< of the last step's runs
  std::vector<float> logits_;
  std::vector<std::vector<std::int32_t>> tokens_;
  std::vector<Drawn> drawn_;
};

}  // namespace monomorph
