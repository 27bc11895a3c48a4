// What a draw may need besides the logits of its pass and a slot's settings: the tokens of the sequence, which change
// the logits, and log-probabilities. It is done on the host for every engine, in f32 and in this order of operations,
// so that the same logits give the same draws.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "runtime/engine/engine.hpp"

namespace monomorph {

/// Whether these settings ask for any of it.
bool drawn_on_host(const Sampling& sampling);

/// Changes logits, [vocab_size], by the tokens in the sequence, then by those drawn, whose keys are of no concern.
void penalize(const Sampling& sampling, std::span<const std::int32_t> sequence,
              const std::map<std::int64_t, std::int32_t>& drawn, std::span<float> logits);

/// The natural logarithm of the softmax of logits, which are finite, at `token`; in double.
float log_probability(std::span<const float> logits, std::int32_t token);

}  // namespace monomorph
