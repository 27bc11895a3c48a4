// Rotary frequencies, to the last bit as the reference forms them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace monomorph::generator {

struct PositionSection;

/// Frequencies of a rotary embedding, and those of sequences longer than `original_length`; the runtime's
/// RotaryFrequencies (runtime/program/rotary.hpp) says how they are used.
struct RotaryContract {
  std::vector<float> frequencies;  ///< f32, rotary_dim / 2
  float factor = 1;                ///< of every cosine and sine
  std::int64_t original_length = 0;
  std::vector<float> of_longer = {};
  float theta = 0, stretch = 0;
  std::int64_t first_position = 0;

  bool depends_on_length() const { return original_length != 0; }
  bool operator==(const RotaryContract&) const = default;
};

/// theta^(-2j / rotary_dim), j = 0 ... rotary_dim / 2 - 1, in the steps of transformers' default (f32 exponent, f32
/// power, f32 reciprocal): `1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))`.
std::vector<float> rotary_frequencies(double theta, std::int64_t rotary_dim);

/// Those of a [position], scaled as it says: linear, llama3 (Llama 3.1), yarn (Peng et al. 2023) or by LongRoPE's
/// short_factor, in the steps of transformers' modeling_rope_utils.py. Every step is rounded to f32, and a number over
/// a tensor is the number times the rounded reciprocal, as torch has it.
std::vector<float> rotary_frequencies(const PositionSection& position);

/// All that a [position] says of them: of dynamic NTK and of LongRoPE (Ding et al. 2024), what longer sequences have.
RotaryContract rotary_of(const PositionSection& position);

/// Those of sines and cosines in `columns` columns, beside the embedding: theta^(-2j / columns) (Vaswani et al. 2017),
/// or with ends_at_theta theta^(-j / (columns / 2 - 1)), in the steps of fairseq's and transformers' sinusoidal
/// embeddings, each rounded to f32.
RotaryContract sinusoids_of(const PositionSection& position, std::int64_t columns);

/// The attention_factor of a scaling where nobody says it: yarn's is 1 + 0.1 ln(factor), LongRoPE's
/// sqrt(1 + ln(factor) / ln(original)), and both are 1 where sequences are not made longer.
double default_attention_factor(const std::string& scaling, double factor, std::int64_t original);

}  // namespace monomorph::generator
