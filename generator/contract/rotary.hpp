// Rotary frequencies, to the last bit as the reference forms them.
#pragma once

#include <cstdint>
#include <vector>

namespace monomorph::generator {

/// theta^(-2j / rotary_dim), j = 0 ... rotary_dim / 2 - 1, in the steps of transformers' default (f32 exponent, f32
/// power, f32 reciprocal): `1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))`.
std::vector<float> rotary_frequencies(double theta, std::int64_t rotary_dim);

}  // namespace monomorph::generator
