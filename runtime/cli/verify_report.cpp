#include "runtime/cli/verify_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace monomorph::cli {
namespace {

bool within(const PhaseErrors& errors, double tolerance) {
  return errors.prefill <= tolerance && errors.decode <= tolerance;
}

std::string line(const std::string& what, const PhaseErrors& errors, double tolerance) {
  return fmt::format("{:<10}  {:>10.2e}  {:>10.2e}{}\n", what, errors.prefill, errors.decode,
                     within(errors, tolerance) ? "" : "  above the tolerance");
}

}  // namespace

double worst_row_error(std::span<const float> device, std::span<const double> reference, std::int64_t row_size) {
  const auto columns = static_cast<std::size_t>(row_size);
  double worst = 0;
  for (std::size_t row = 0; row < reference.size(); row += columns) {
    double difference = 0, magnitude = 0;
    for (std::size_t i = row; i < row + columns; ++i) {
      const double d = static_cast<double>(device[i]) - reference[i];
      difference += d * d;
      magnitude += reference[i] * reference[i];
    }
    const double error = difference == 0 ? 0 : std::sqrt(difference / magnitude);
    worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  }
  return worst;
}

double default_tolerance(Dtype kv_cache) { return kv_cache == Dtype::f32 ? 1e-4 : 5e-3; }

std::string verification_table(const Verification& verification) {
  std::string text = fmt::format("relative L2 error of the worst token, tolerance {:.0e}\n{:<10}  {:>10}  {:>10}\n",
                                 verification.tolerance, "layer", "prefill", "decode");
  for (std::size_t layer = 0; layer < verification.layers.size(); ++layer) {
    text += line(std::to_string(layer), verification.layers[layer], verification.tolerance);
  }
  return text + line("logits", verification.logits, verification.tolerance);
}

std::string verification_failure(const Verification& verification) {
  for (std::size_t layer = 0; layer < verification.layers.size(); ++layer) {
    const PhaseErrors& errors = verification.layers[layer];
    if (within(errors, verification.tolerance)) continue;
    return fmt::format(
        "layer {} is the first above the tolerance {:.0e}, in {}: a kernel or the driver computes it wrongly; try "
        "another --device, and report the table above",
        layer, verification.tolerance, errors.prefill <= verification.tolerance ? "decode" : "prefill");
  }
  if (within(verification.logits, verification.tolerance)) return "";
  return fmt::format(
      "the layers agree, the logits are above the tolerance {:.0e}: the final norm or the head is computed wrongly; "
      "try another --device, and report the table above",
      verification.tolerance);
}

}  // namespace monomorph::cli
