// Angles of the rotary embedding (Su et al. 2021), computed on the host for the rows of each pass. So no length needs a
// table, and frequencies may depend on how long the sequence is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/program/tensor.hpp"

namespace monomorph {

/// Frequencies, and what they are for sequences that are longer than `original_length`. Those below 0 turn the other
/// way.
struct RotaryFrequencies {
  std::span<const float> frequencies;
  float factor = 1;                       ///< of every cosine and sine
  std::int64_t original_length = 0;       ///< 0: the frequencies are those of every length
  std::span<const float> of_longer = {};  ///< LongRoPE (Ding et al. 2024): those of longer sequences
  float theta = 0, stretch = 0;           ///< dynamic NTK: the base, and the factor by which it grows with the length
  std::int64_t first_position = 0;        ///< the number that the first token's position has
};

/// Where a pass finds its angles: f32 [angle_rows][frequencies] pairs (cosine, sine), rows padded. The row of a token
/// is its position plus StepSlot::angle_offset.
struct RotaryAngles {
  BufferView view;
  std::int64_t rows;
  RotaryFrequencies rotary;
};

/// The frequencies of a sequence of `length` tokens; `computed` holds them where they are stored nowhere.
std::span<const float> frequencies_at(const RotaryFrequencies& rotary, std::int64_t length,
                                      std::vector<float>& computed);

/// The longest sequence whose keys are those of one of `length` tokens, as far as angles tell: a LongRoPE sequence that
/// becomes longer is computed anew. (Of dynamic NTK each key keeps the angles that it had.)
std::int64_t longest_alike(std::span<const RotaryAngles> angles, std::int64_t length);

/// (cosine, sine) of each frequency: the angle is f32 position times f32 frequency, rounded to f32 as the reference
/// implementations form it; its cosine and sine are taken in double, rounded, and multiplied by the factor.
void write_angles(std::span<const float> frequencies, float factor, std::int64_t position, float* pairs);

}  // namespace monomorph
