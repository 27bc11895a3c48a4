// Two views of a loaded engine: figures of each kernel, and the hidden states after each layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace monomorph {

struct KernelProfile {
  std::string name;
  std::int64_t calls = 0;  ///< dispatches
  double seconds = 0;      ///< on the device
  std::int64_t bytes = 0;  ///< of weights and cache, as Kernel::cost says
  std::int64_t flops = 0;
  /// Where its rows are those of banks that are chosen: how many entries had each, and how many different banks a
  /// dispatch read, summed. A bank whose rows lie in several dispatches counts in each. Empty and 0 elsewhere.
  std::vector<std::int64_t> entries_of_bank{};
  std::int64_t banks_read = 0;
};

/// A view of an engine loaded with LoadOptions::profile: dynamic_cast<ProfiledEngine*>(engine). Calls are slower under
/// it (a timestamp around each dispatch), so times of whole calls are taken without.
class ProfiledEngine {
 public:
  virtual ~ProfiledEngine() = default;
  virtual void reset_profile() = 0;
  /// What ran since the last reset, in the order of Program::kernels, kernels without calls left out.
  virtual std::vector<KernelProfile> profile() const = 0;
  /// Bytes a second that the device reads of its memory in order, measured by this call; 0 where none is measured.
  virtual double read_bandwidth() const { return 0; }
};

/// A view of an engine loaded with LoadOptions::probe_layers: what every layer gives, rows without padding.
class ProbedEngine {
 public:
  virtual ~ProbedEngine() = default;
  /// Appends runs as Engine::step does, in one pass: [layers][tokens x hidden_size], run after run.
  virtual std::vector<std::vector<float>> probe(std::span<const Run> runs) = 0;
  /// Reads sources as Engine::encode does: [the encoder's layers][tokens x encoder_hidden_size], source after source.
  virtual std::vector<std::vector<float>> probe_sources(std::span<const Source> sources) = 0;
};

}  // namespace monomorph
