// Norms of the CPU reference: RMSNorm (Zhang and Sennrich 2019), LayerNorm (Ba, Kiros and Hinton 2016), and RMSNorm of
// each head's queries or keys (Qwen 3).
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

template <std::int64_t columns>
Activations<columns> rms_norm(const HostWeights& weights, std::int32_t weight, double eps,
                              const Activations<columns>& x) {
  const std::vector<double> gain = weight_row<columns>(weights, weight);
  Activations<columns> y(x.tokens());
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    const auto in = x.row(t);
    const auto out = y.row(t);
    const double scale = inverse_rms(in, eps);
    for (std::int64_t i = 0; i < columns; ++i) out[i] = in[i] * scale * gain[i];
  }
  return y;
}

/// (x - mean) / sqrt(variance + eps) * weight + bias; `bias` may be absent.
template <std::int64_t columns>
Activations<columns> layer_norm(const HostWeights& weights, std::int32_t weight, std::int32_t bias, double eps,
                                const Activations<columns>& x) {
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

/// RMSNorm of each head, in place; one weight of head_dim elements serves every head.
template <std::int64_t heads, std::int64_t head_dim>
void head_norm(const HostWeights& weights, std::int32_t weight, double eps, Activations<heads * head_dim>& x) {
  const std::vector<double> gain = weight_row<head_dim>(weights, weight);
  for (std::int64_t t = 0; t < x.tokens(); ++t) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::span<double> values = std::span<double>(x.row(t)).subspan(head * head_dim, head_dim);
      const double scale = inverse_rms(values, eps);
      for (std::int64_t i = 0; i < head_dim; ++i) values[i] *= scale * gain[i];
    }
  }
}

}  // namespace monomorph::reference
