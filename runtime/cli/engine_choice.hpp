// From options to what they name: an engine on a device or on the CPU reference, and the tokenizer that belongs to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "runtime/engine.hpp"
#include "runtime/load.hpp"
#include "runtime/program.hpp"
#include "runtime/tokenizer/tokenizer.hpp"
#include "runtime/weights.hpp"

namespace monomorph::cli {

struct EngineChoice {
  std::string weights;
  bool random_weights = false;  ///< in place of weights
  std::uint64_t random_seed = 0;
  std::string device;  ///< index, part of a name, "cpu" for the reference, empty: the best one

  bool reference() const { return device == "cpu"; }
};

enum class View { plain, profiled, probed };

/// With a progress bar while weights are loaded. `view` asks more of a Vulkan engine (runtime/load.hpp); the reference
/// has neither, and asking it is an Error(environment).
std::unique_ptr<Engine> open_engine(const Program& program, const EngineChoice& choice, View view = View::plain);

HostWeights open_weights(const Program& program, const EngineChoice& choice);

/// The tokenizer named, or the one beside the weights. Throws what Tokenizer::load throws, and Error(rejected) when it
/// has ids beyond the vocabulary. (A vocabulary beyond the tokenizer's is padding, and fine.)
Tokenizer open_tokenizer(const Program& program, const std::string& path, const EngineChoice& choice);
/// The same where text is not needed: nothing when there is no tokenizer of a kind that is read, said on standard
/// error.
std::optional<Tokenizer> find_tokenizer(const Program& program, const std::string& path, const EngineChoice& choice);

}  // namespace monomorph::cli
