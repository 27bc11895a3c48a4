#include "runtime/cli/verify_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/error.hpp"

namespace monomorph::cli {
namespace {

bool within(const PhaseErrors& errors, double tolerance) {
  return errors.prefill <= tolerance && errors.decode <= tolerance;
}

std::string line(const std::string& what, const PhaseErrors& errors, double tolerance, bool decodes = true) {
  return fmt::format("{:<10}  {:>10.2e}  {:>10}  {:>10.1e}{}\n", what, errors.prefill,
                     decodes ? fmt::format("{:.2e}", errors.decode) : "", tolerance,
                     within(errors, tolerance) ? "" : "  above the tolerance");
}

double logits_tolerance(const Verification& verification) {
  return verification.tolerance(std::ssize(verification.encoder) + std::ssize(verification.layers));
}

constexpr const char* remedy =
    "a kernel or the driver computes it wrongly; try another --device and, of random weights, another --random-seed "
    "(f32's own roundings can move one token as far), and report the table above";

}  // namespace

double row_error(std::span<const float> device, std::span<const double> reference) {
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double d = static_cast<double>(device[i]) - reference[i];
    difference += d * d;
    magnitude += reference[i] * reference[i];
  }
  const double error = difference == 0 ? 0 : std::sqrt(difference / magnitude);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double worst_row_error(std::span<const float> device, std::span<const double> reference, std::int64_t row_size) {
  const auto columns = static_cast<std::size_t>(row_size);
  double worst = 0;
  for (std::size_t row = 0; row < reference.size(); row += columns) {
    worst = std::max(worst, row_error(device.subspan(row, columns), reference.subspan(row, columns)));
  }
  return worst;
}

double cache_rounding(Dtype dtype) {
  constexpr double f16 = 0x1p-11, bf16 = 0x1p-8, amax_of_block = 2.4, codes = 127;
  switch (dtype) {
    case Dtype::f32:
      return 0;
    case Dtype::f16:
      return f16 / std::sqrt(3.0);
    case Dtype::bf16:
      return bf16 / std::sqrt(3.0);
    case Dtype::q8_0:
      return std::hypot(amax_of_block / codes / std::sqrt(12.0), f16 / std::sqrt(3.0));
    default:
      throw Error(ErrorKind::internal, fmt::format("no cache is kept as {}", name_of(dtype)));
  }
}

Dtype roughest_cache(std::span<const StateTable> states) {
  Dtype roughest = Dtype::f32;
  for (const StateTable& state : states) {
    if (cache_rounding(state.dtype) > cache_rounding(roughest)) roughest = state.dtype;
  }
  return roughest;
}

double default_tolerance(Dtype kv_cache, std::int64_t columns, std::int64_t layers) {
  constexpr double functions = 16, margin = 4;
  const double arithmetic = 0x1p-24 * (std::sqrt(static_cast<double>(columns)) + functions);
  const double cache = 2 * cache_rounding(kv_cache);
  return margin * (arithmetic + cache) * std::sqrt(static_cast<double>(layers));
}

std::string verification_table(const Verification& verification) {
  std::string text = fmt::format("relative L2 error of the worst token\n{:<10}  {:>10}  {:>10}  {:>10}\n", "layer",
                                 "prefill", "decode", "tolerance");
  for (std::size_t layer = 0; layer < verification.encoder.size(); ++layer) {
    text += line(fmt::format("encoder {}", layer), {verification.encoder[layer], 0},
                 verification.tolerance_of_encoder(layer), false);
  }
  for (std::size_t layer = 0; layer < verification.layers.size(); ++layer) {
    text += line(std::to_string(layer), verification.layers[layer], verification.tolerance_of(layer));
  }
  text += line("logits", verification.logits, logits_tolerance(verification));
  const NearTies& ties = verification.near_ties;
  if (ties.count > 0) {
    text += fmt::format(
        "near ties: choices compared as the device made them: {}, by at most {:.1e} of a row's largest "
        "score\n",
        ties.count, ties.widest);
  }
  return text;
}

std::string verification_failure(const Verification& verification) {
  for (std::size_t layer = 0; layer < verification.encoder.size(); ++layer) {
    const double tolerance = verification.tolerance_of_encoder(layer);
    if (verification.encoder[layer] <= tolerance) continue;
    return fmt::format("layer {} of the encoder is the first above its tolerance {:.1e}: {}", layer, tolerance, remedy);
  }
  for (std::size_t layer = 0; layer < verification.layers.size(); ++layer) {
    const PhaseErrors& errors = verification.layers[layer];
    const double tolerance = verification.tolerance_of(layer);
    if (within(errors, tolerance)) continue;
    return fmt::format("layer {} is the first above its tolerance {:.1e}, in {}: {}", layer, tolerance,
                       errors.prefill <= tolerance ? "decode" : "prefill", remedy);
  }
  if (within(verification.logits, logits_tolerance(verification))) return "";
  return fmt::format(
      "the layers agree, the logits are above their tolerance {:.1e}: the final norm or the head is computed wrongly; "
      "try another --device, and report the table above",
      logits_tolerance(verification));
}

}  // namespace monomorph::cli
