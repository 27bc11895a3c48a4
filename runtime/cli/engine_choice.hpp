// From options to what they name: an engine on a device or on the reference, and the tokenizer that belongs to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/engine/engine.hpp"
#include "runtime/load/load.hpp"
#include "runtime/program/program.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::cli {

struct EngineChoice {
  std::string weights;
  bool random_weights = false;  ///< in place of weights
  std::uint64_t random_seed = 0;
  bool invariant = false;
  bool ignore_config = false;
  std::string device;        ///< index, part of a name, "vulkan", "cpu", "reference", empty: the best one
  std::int64_t threads = 0;  ///< LoadOptions::threads

  bool reference() const { return device == "reference"; }
};

enum class View { plain, profiled, probed };

/// How long a device's kernels were compiled; the CPU and the reference have none.
struct Compilation {
  std::int64_t kernels = 0;
  double seconds = 0;
};

/// "compiled 15 kernels in 2.100 s" as a line; nothing where there are none.
std::string describe(const Compilation& compilation);

/// With progress bars while weights are loaded and kernels are compiled. `view` asks more of a device's engine
/// (runtime/load/load.hpp); the reference has neither, and asking it is an Error(environment).
std::unique_ptr<Engine> open_engine(const Program& program, const EngineChoice& choice, View view = View::plain,
                                    Compilation* compilation = nullptr);

HostWeights open_weights(const Program& program, const EngineChoice& choice);

/// The tokenizer named, or that of a GGUF file of weights, or the one beside the weights. Throws what Tokenizer::load
/// throws, and Error(rejected) when it has ids beyond the vocabulary. (A vocabulary beyond the tokenizer's is padding,
/// and fine.)
Tokenizer open_tokenizer(const Program& program, const std::string& path, const EngineChoice& choice);
/// The same where text is not needed: nothing when there is no tokenizer of a kind that is read, said on standard
/// error.
std::optional<Tokenizer> find_tokenizer(const Program& program, const std::string& path, const EngineChoice& choice);

}  // namespace monomorph::cli
