// How far a device is from the reference, and whether that is too far.
//
// The measure is the relative L2 error of a row, |device - reference| / |reference|, of the worst row: an error in one
// token does not drown in the others. The reference computes in double and keeps its cache in double, and both read the
// same weights. So two things remain, which every layer adds anew:
//
//   arithmetic  f32 sums of `columns` terms round like a random walk, 2^-24 sqrt(columns); drivers' exp and inverse
//               square root are off by up to some 16 units in the last place.
//   cache       an f16 key or value is off by at most half a unit in the last place, 2^-11 of itself: 2^-11 / sqrt(3)
//               in the mean; a bf16 one, which has three bits less, by 2^-8 / sqrt(3). In q8_0 an element is off by at
//               most half a step, amax / 254 of the largest of its block, amax / (127 sqrt(12)) in the mean, and amax
//               of 32 elements is about 2.4 times their root mean square, and at most sqrt(32) times, which the margin
//               below allows; the scale, an f16, adds 2^-11 / sqrt(3) of them all. Values pass that on as it is; keys
//               do through the scores, which in trained models are off by about as much as the keys are. In sum at
//               most twice the mean a layer, of the rougher of two types.
//
// Roundings of different layers are independent: after n layers they come to sqrt(n) times that. The tolerance is four
// times this sum, since a model amplifies what came before. Measured on lavapipe with an f16 cache, as a share of the
// tolerance in the worst layer:
//
//   random weights, 1 to 60 layers of SmolLM2's width   0.21, in the first layer; 0.04 in the last of 60
//   random weights, 2 to 80 layers of kjv's width       0.18, in the first layer; 0.05 in the last of 80
//   the same, queries and keys 1.5 times as large       0.17, in layer 7 of 32: scores of about 2
//   kjv, trained, 4 layers                              0.09, in the first layer
//   SmolLM2 135M, trained, 30 layers                    0.57, in layer 11, of one early token; 0.10 in decode
//
// and with an f32 cache 0.05 at most. Random queries and keys twice as large, scores of 4, let errors grow as n (0.85
// after 32 layers); three times as large, as a power of it, and above the tolerance from layer 3 on: no sound model
// does.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/program/program.hpp"

namespace monomorph::cli {

/// Infinite where the device has a NaN, or something where the reference has zeros.
double row_error(std::span<const float> device, std::span<const double> reference);
double worst_row_error(std::span<const float> device, std::span<const double> reference, std::int64_t row_size);

struct PhaseErrors {
  double prefill = 0;
  double decode = 0;
};

/// Choices that a device made otherwise than the reference, as rounding explains: near_ties.hpp.
struct NearTies {
  std::int64_t count = 0;
  double widest = 0;  ///< margin, as a share of its row's largest score
};

struct Verification {
  /// What a sound device may differ by after so many layers, at least one.
  std::function<double(std::int64_t layers)> tolerance;
  std::vector<PhaseErrors> layers;
  PhaseErrors logits;
  NearTies near_ties{};
  /// Errors of each layer of what reads sources, whose roundings come before the model's.
  std::vector<double> encoder{};

  double tolerance_of_encoder(std::size_t layer) const { return tolerance(static_cast<std::int64_t>(layer) + 1); }
  double tolerance_of(std::size_t layer) const { return tolerance_of_encoder(encoder.size() + layer); }
};

/// What an element of a cache is off by in the mean, as a share of it: 0 of f32. Of f32, f16, bf16 and q8_0.
double cache_rounding(Dtype dtype);

/// The type of the states whose elements are off by most; f32 without any.
Dtype roughest_cache(std::span<const StateTable> states);

/// `kv_cache`: the roughest; `columns`: of the widest matrix.
double default_tolerance(Dtype kv_cache, std::int64_t columns, std::int64_t layers);

/// A line for each layer, the encoder's first, and one for the logits: the errors, and what is tolerated.
std::string verification_table(const Verification& verification);
/// Empty when everything is within its tolerance; else what is not, the first layer first.
std::string verification_failure(const Verification& verification);

}  // namespace monomorph::cli
