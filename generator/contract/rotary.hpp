// Rotary frequencies, to the last bit as the reference forms them.
#pragma once

#include <cstdint>
#include <vector>

namespace monomorph::generator {

struct PositionSection;

/// theta^(-2j / rotary_dim), j = 0 ... rotary_dim / 2 - 1, in the steps of transformers' default (f32 exponent, f32
/// power, f32 reciprocal): `1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))`.
std::vector<float> rotary_frequencies(double theta, std::int64_t rotary_dim);

/// Those of a [position], scaled as it says: linear, llama3 (Llama 3.1) or yarn (Peng et al. 2023), in the steps of
/// transformers' modeling_rope_utils.py. Every step is rounded to f32, and a number over a tensor is the number times
/// the rounded reciprocal, as torch has it.
std::vector<float> rotary_frequencies(const PositionSection& position);

/// What cosines and sines are multiplied by: yarn's attention_factor, or 1.
float rotary_factor(const PositionSection& position);

/// Yarn's attention_factor where nobody says it: 1 + 0.1 ln(factor), and 1 where sequences are not made longer.
double default_attention_factor(double factor);

}  // namespace monomorph::generator
