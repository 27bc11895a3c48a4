// What an engine refuses before anything runs, in the same words on every device. Each function throws Error(rejected).
#pragma once

#include <cstdint>
#include <span>

#include "runtime/engine.hpp"
#include "runtime/program.hpp"

namespace monomorph {

/// At least one token, each in [0, vocab_size), and room for all of them after `position`.
void validate_tokens(const Program& program, std::int64_t position, std::span<const std::int32_t> tokens);

/// temperature 0, or finite and at least 1e-6; top_p in (0, 1].
void validate_sampling(const Sampling& sampling);

/// count >= 0, and what validate_tokens and validate_sampling ask.
void validate_generation(const Program& program, std::int64_t position, std::span<const std::int32_t> prompt,
                         std::int64_t count, const Sampling& sampling);

/// Finite, as those of a sound checkpoint are.
void validate_logits(const Program& program, std::span<const float> logits);

}  // namespace monomorph
