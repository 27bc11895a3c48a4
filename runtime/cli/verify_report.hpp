// How far a device is from the reference, and whether that is too far.
//
// The measure is the relative L2 error of a row, |device - reference| / |reference|, of the worst row: an error in one
// token does not drown in the others. The reference computes in double and keeps its cache in double, so what remains
// is f32 arithmetic (some 1e-6 a layer) and the rounding of an f16 cache (2^-11 of each key and value, some 1e-3 of a
// layer's output). The tolerances leave both room to add up over layers, and none for a mistake.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/program.hpp"

namespace monomorph::cli {

/// Infinite where the device has a NaN, or something where the reference has zeros.
double worst_row_error(std::span<const float> device, std::span<const double> reference, std::int64_t row_size);

struct PhaseErrors {
  double prefill = 0;
  double decode = 0;
};

struct Verification {
  double tolerance = 0;
  std::vector<PhaseErrors> layers;
  PhaseErrors logits;
};

double default_tolerance(Dtype kv_cache);

/// A line for each layer and one for the logits.
std::string verification_table(const Verification& verification);
/// Empty when everything is within the tolerance; else what is not, the first layer first.
std::string verification_failure(const Verification& verification);

}  // namespace monomorph::cli
