#include "generator/contract/rotary.hpp"

#include <cmath>

namespace monomorph::generator {

std::vector<float> rotary_frequencies(double theta, std::int64_t rotary_dim) {
  std::vector<float> result;
  const float base = static_cast<float>(theta);
  for (std::int64_t j = 0; j < rotary_dim / 2; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(rotary_dim);
    const float power = static_cast<float>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    result.push_back(1.0f / power);
  }
  return result;
}

}  // namespace monomorph::generator
