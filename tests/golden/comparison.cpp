#include "tests/golden/comparison.hpp"

#include <cmath>
#include <limits>

namespace monomorph::golden {

double row_error(std::span<const float> ours, std::span<const float> golden) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (ours.size() != golden.size()) return infinite;
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double d = static_cast<double>(ours[i]) - static_cast<double>(golden[i]);
    difference += d * d;
    norm += static_cast<double>(golden[i]) * static_cast<double>(golden[i]);
  }
  const double error = std::sqrt(difference / norm);
  return std::isfinite(error) ? error : infinite;
}

void Comparison::next(std::span<const float> logits) {
  if (next_kept_ < golden_.rows.size() && golden_.rows[next_kept_] == position_) compare(next_kept_++, logits);
  ++position_;
}

void Comparison::last_of_prompt(std::int64_t length, std::span<const float> logits) {
  compare(golden_.last_of_prompt(length), logits);
}

void Comparison::last_of_call(std::size_t call, std::span<const float> logits) {
  compare(golden_.rows.size() + call, logits);
}

void Comparison::compare(std::size_t kept, std::span<const float> logits) {
  const double error = row_error(logits, golden_.logits_of(kept));
  ++compared_;
  if (worst_row_ >= 0 && error <= worst_) return;
  worst_ = error;
  worst_row_ = kept < golden_.rows.size() ? golden_.rows[kept] : static_cast<std::int64_t>(kept);
}

}  // namespace monomorph::golden
