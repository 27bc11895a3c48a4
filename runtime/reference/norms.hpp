// Norms of the CPU reference: RMSNorm (Zhang and Sennrich 2019) and LayerNorm (Ba, Kiros and Hinton 2016), of a whole
// row or of each run of `size` elements of it (of each head: Qwen 3's QK-norm).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/reference/matrices.hpp"

namespace monomorph::reference {

/// 1 / sqrt(mean of squares + eps).
inline double inverse_rms(std::span<const double> x, double eps) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return 1 / std::sqrt(sum / static_cast<double>(x.size()) + eps);
}

/// x / sqrt(mean(x^2) + eps) * weight, each run of `size` elements with the same weight.
template <std::int64_t size, std::int64_t columns>
Activations<columns> rms_norm(const HostWeights& weights, std::int32_t weight, const Activations<columns>& x,
                              double eps) {
  static_assert(columns % size == 0);
  const std::vector<double> gain = weight_row<size>(weights, weight);
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t first = 0; first < columns; first += size) {
      const double* in = x.row(t).data() + first;
      double* out = y.row(t).data() + first;
      const double scale = inverse_rms(std::span(in, size), eps);
      for (std::int64_t i = 0; i < size; ++i) out[i] = in[i] * scale * gain[i];
    }
  }
  return y;
}

/// (x - mean) / sqrt(variance + eps) * weight + bias; `bias` may be absent.
template <std::int64_t size, std::int64_t columns>
Activations<columns> layer_norm(const HostWeights& weights, std::int32_t weight, std::int32_t bias,
                                const Activations<columns>& x, double eps) {
  static_assert(columns == size);
  const std::vector<double> gain = weight_row<columns>(weights, weight);
  const std::vector<double> offsets =
      bias == absent ? std::vector<double>(columns, 0.0) : weight_row<columns>(weights, bias);
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    const auto in = x.row(t);
    const auto out = y.row(t);
    double mean = 0;
    for (const double value : in) mean += value;
    mean /= columns;
    for (std::int64_t i = 0; i < columns; ++i) out[i] = in[i] - mean;
    const double scale = inverse_rms(out, eps);
    for (std::int64_t i = 0; i < columns; ++i) out[i] = out[i] * scale * gain[i] + offsets[i];
  }
  return y;
}

}  // namespace monomorph::reference
