// How an engine is loaded: its weights, its device, and who is told of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/engine/device_info.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph {

using LoadProgress = std::function<void(std::int64_t done, std::int64_t total)>;

struct LoadOptions {
  std::string weights_path;     ///< a .safetensors or .gguf file, or a directory
  bool random_weights = false;  ///< in place of weights_path
  std::uint64_t random_seed = 0;
  bool ignore_config = false;                    ///< a config.json beside the weights is not compared
  std::function<void(const std::string&)> note;  ///< is told what was not compared
  /// Digits: an index; else "vulkan", "cpu", "reference", or part of a name in any case; empty: the best GPU, or the
  /// CPU. Of those that the engine was built for.
  std::string device;
  std::int64_t threads = 0;   ///< of the CPU; 0: one for each physical core that the process may use
  bool profile = false;       ///< the engine is a ProfiledEngine
  bool probe_layers = false;  ///< the engine is a ProbedEngine
  /// What a token's pass computes depends, bit for bit, on its slot's tokens alone: not on other slots of the pass nor
  /// on how the tokens were cut into passes. Slower: all rows take one way through the model. What such an engine saves
  /// of a slot is not restored by others, nor the other way round.
  bool invariant = false;
  LoadProgress progress;  ///< bytes of weights on the device
  /// Kernels, in the caller's thread: each is made, on all cores, and then, since some drivers compile only there,
  /// dispatched once over nothing. After that no call waits for a compiler.
  LoadProgress compiling;
  LimitOverrides limits;
};

/// Throws what HostWeights::open throws.
HostWeights open_weights(const Program& program, const LoadOptions& options);

}  // namespace monomorph
