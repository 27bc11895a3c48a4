// Texts of models that read them whole and know a mask token, made as LLaDA makes them: the text is a prompt and masks,
// each pass finds a token for every mask, and the surest of them stay (Nie et al. 2025, low-confidence remasking in
// blocks from left to right). It is done on the host for every engine, in double and in a fixed order, so that the same
// logits give the same text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/engine/engine.hpp"

namespace monomorph {

/// Which of the tokens that a pass found stay.
enum class Remasking : std::uint8_t {
  low_confidence,  ///< the likeliest: a token's confidence is its softmax, without temperature
  random,
};

struct Denoising {
  std::int64_t length = 64;        ///< tokens to be found, all of them at once in the text
  std::int64_t block_length = 64;  ///< divides length; a block is full before the next one begins
  std::int64_t steps = 64;         ///< passes, the same number in each block
  /// 0 takes the likeliest token, the lowest id where several are; above it, from 1e-6 to 1e6, the largest sum of a
  /// logit and temperature times Gumbel noise.
  float temperature = 0;
  std::uint64_t seed = 0;
  Remasking remasking = Remasking::low_confidence;
  /// Classifier-free guidance, at least 0: logits become u + (guidance + 1) * (logits - u), where u are those of the
  /// text whose prompt is masks, which another pass gives (Nie et al. 2025). 0: there is no such pass.
  double guidance = 0;
};

/// How many of `masks` tokens each of `steps` passes keeps: equally many, and one more in each of the first where it
/// does not divide.
std::vector<std::int64_t> kept_by_step(std::int64_t masks, std::int64_t steps);

/// Throws Error(rejected) as denoise does.
void validate_denoising(const Program& program, std::span<const std::int32_t> prompt, const Denoising& how,
                        std::int64_t slot = 0);

/// The tokens that follow `prompt`, which may be none: [how.length]. Where the model says that the mask token itself
/// stands, a mask stays, to be found by a later pass, and after the last it is what it is. Passes that keep nothing are
/// left out. `watcher`, where it is given, is told after each step how many of how.steps are done; what it throws ends
/// the call there. The slot's sequence is forgotten. Throws Error(rejected): before anything runs, where the model does
/// not see texts whole or has no mask token, the text does not fit in one pass, the prompt has a mask or a token that
/// the model has not, or a number of `how` is out of its range; and at logits that are no finite numbers.
std::vector<std::int32_t> denoise(Engine& engine, std::span<const std::int32_t> prompt, const Denoising& how,
                                  const std::function<void(std::int64_t done, std::int64_t steps)>& watcher = {},
                                  std::int64_t slot = 0);

}  // namespace monomorph
