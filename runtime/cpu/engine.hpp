// The engine on the CPU: every core runs its share of each dispatch. It takes one way through each stage, whatever the
// number of rows, and no unit of work sums across another: so bits depend on no number of threads. What they depend on
// beside is how many inputs a matrix is multiplied with in the pass, and of an invariant engine not even that.
#pragma once

#include <memory>
#include <vector>

#include "runtime/cpu/levels/levels.hpp"
#include "runtime/cpu/pool.hpp"
#include "runtime/cpu/ways.hpp"
#include "runtime/engine/load_options.hpp"
#include "runtime/engine/pass_engine.hpp"
#include "runtime/engine/views.hpp"

namespace monomorph::cpu {

class CpuEngine : public PassEngine {
 public:
  /// `program` outlives the engine.
  CpuEngine(const Program& program, HostWeights weights, Quantized quantized, const LoadOptions& options);

 protected:
  void submit(std::span<const Work> work) override;
  std::vector<float> read_hidden_states(std::int64_t rows) override;
  std::int64_t most_ahead() const override { return 1; }

  StatesOwner states_owner() const override { return {invariant_ ? "invariant cpu" : "cpu", fingerprint_}; }
  void copy_states(const HeldStates& from, std::int64_t to) override;
  std::vector<std::byte> save_states(const HeldStates& held) override;
  void restore_states(const HeldStates& held, std::span<const std::int32_t> source,
                      std::span<const std::int32_t> tokens, std::span<const std::byte> bytes) override;

  /// Of an engine whose steps are looked at: it is told before a way is run, and of each step when all have done it.
  virtual void will_run() {}
  virtual void has_run(const Way&, std::size_t, const Work&) {}

  const Storage& storage() const { return storage_; }
  std::int64_t threads() const { return threads_; }
  std::int64_t marked_layers(Stage stage) const {
    return std::ssize((stage == Stage::encode ? encode_ : layers_).recorder.layer_ends);
  }

 private:
  void run(const Way& way, const Work& work);
  void draw(std::int64_t draws);
  /// Neighbouring rows of states that hold something, in a slot.
  std::vector<std::span<std::byte>> rows_of(const HeldStates& held, std::int64_t slot) const;

  const HostWeights weights_;        ///< whose files are mapped
  const std::uint64_t fingerprint_;  ///< of the weights, before pages of the file are given back
  const Level& level_;
  const Storage storage_;
  const Way encode_, layers_, head_;
  const bool invariant_;
  const std::int64_t threads_;
  const bool watched_;  ///< has_run is called
};

}  // namespace monomorph::cpu
