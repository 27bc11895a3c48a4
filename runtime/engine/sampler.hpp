// Sampling on the host: the twin of shaders/sample.glsl. For the same logits, settings and position both draw the same
// token, on every driver and with every workgroup size, because after one exponential per logit, made of correctly
// rounded f32 additions and multiplications alone, everything is integer arithmetic:
//
//   mass     of a token: exp((logit - largest) * inverse_temperature) in units of 2^-24, rounded, at most 2^24 - 1;
//            0 for NaN. The largest logit has 2^24 - 1.
//   top-k    keeps the tokens whose logit is at least the k-th largest (equal logits at the threshold all stay).
//   top-p    of those, keeps the fewest highest logits whose masses reach top_p of the sum (equal logits together).
//   min-p    of those, keeps the tokens whose mass is at least min_p * 2^24.
//   draw     the first token, in the order of ids, at which the sum of the kept masses passes random * total.
//   random   32 bits of Philox4x32-10 (Salmon et al. 2011), key seed, counter the position of the token drawn.
//
// With inverse_temperature 0, and where all logits are NaN, the token is the largest logit with the lowest id;
// NaN is below every number, -0 equals 0.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/engine/engine.hpp"
#include "runtime/program/program.hpp"

namespace monomorph {

/// Vocabularies up to this size keep the device's 32-bit sums exact.
inline constexpr std::int64_t max_sampled_vocab_size = 1 << 20;

/// The token drawn for `position` from logits, [vocab_size]. Of the slot it reads inverse_temperature, top_k, top_p,
/// least_mass and seed.
std::uint32_t sample_token(std::span<const float> logits, const StepSlot& slot, std::uint32_t position);

/// A slot of the step with these settings: stop tokens and sampling; the rest is zero, and the caller's to fill.
/// `sampling` has been validated (runtime/engine/validate.hpp).
StepSlot sampling_slot(const Sampling& sampling, std::span<const std::uint32_t> eos_tokens);

/// The parts of it, each the same on the device.
namespace sampling {
/// Unsigned integers in the order of the floats: NaN is 0, -0 is 0's.
std::uint32_t order_key(float logit);
/// Of a logit that is `below` (<= 0) under the largest.
std::uint32_t mass(float below, float inverse_temperature);
std::uint32_t random_bits(std::uint64_t seed, std::uint32_t position);
}  // namespace sampling

}  // namespace monomorph
